package opgraph

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// MaxFileBytes is the size of the largest file that is read.
const MaxFileBytes = 256 << 20

const (
	maxLine   = 1 << 20
	maxFaults = 20
)

// Read reads a graph from a file. The errors name file, line, operator and
// tensor.
func Read(path string) (*graph.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Decode(f, path)
}

// Decode reads a graph. The name is that of the model and of errors. The model
// has one subgraph, which is linked; its tensors have a type of one byte and no
// shape; its operators are custom ones.
func Decode(r io.Reader, name string) (*graph.Model, error) {
	sum := sha256.New()
	limited := &io.LimitedReader{R: io.TeeReader(r, sum), N: MaxFileBytes + 1}
	d := decoder{s: &graph.Subgraph{}, tensors: map[string]int{}, ops: map[string]int{}}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if err := d.line(words); err != nil {
			d.errs = append(d.errs, fmt.Errorf("%s:%d: %w", name, n, err))
			if len(d.errs) == maxFaults {
				break
			}
		}
	}
	switch {
	case lines.Err() != nil:
		d.errs = append(d.errs, fmt.Errorf("%s: %w", name, lines.Err()))
	case limited.N <= 0:
		d.errs = append(d.errs, fmt.Errorf("%s: larger than %d bytes", name, int64(MaxFileBytes)))
	case len(d.errs) == 0 && len(d.s.Tensors) == 0 && len(d.s.Ops) == 0:
		d.errs = append(d.errs, fmt.Errorf("%s: no operator graph: it names no tensor and no operator", name))
	}
	if err := errors.Join(d.errs...); err != nil {
		return nil, err
	}
	if err := d.s.Link(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	size := MaxFileBytes + 1 - limited.N
	return &graph.Model{
		Name: name, Path: name, Hash: hex.EncodeToString(sum.Sum(nil)), FileBytes: size,
		Subgraphs: []*graph.Subgraph{d.s},
	}, nil
}

type decoder struct {
	s       *graph.Subgraph
	total   int64 // bytes of all tensors
	tensors map[string]int
	ops     map[string]int
	errs    []error
}

func (d *decoder) line(words []string) error {
	switch words[0] {
	case "i", "o", "t", "v":
		if len(words) != 3 {
			return fmt.Errorf("line %q has %d words, want 3: %s NAME BYTES", words[0], len(words), words[0])
		}
		return d.tensor(words[0], words[1], words[2])
	case "n":
		if len(words) < 4 {
			return fmt.Errorf("line \"n\" has %d words, want at least 4: n TYPE OP RESULT OPERAND", len(words))
		}
		return d.operator(words[1], words[2], words[3], words[4:])
	case "w":
		if len(words) != 3 {
			return fmt.Errorf("line \"w\" has %d words, want 3: w OP BYTES", len(words))
		}
		return d.workspace(words[1], words[2])
	case "b":
		if len(words) < 3 {
			return fmt.Errorf("line \"b\" has %d words, want at least 3: b OP BEFORE", len(words))
		}
		return d.before(words[1], words[2:])
	}
	return fmt.Errorf("line begins with %q, want i, o, t, v, n, w or b", words[0])
}

func (d *decoder) tensor(kind, name, size string) error {
	bytes, err := parseBytes(size)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", name, err)
	}
	if name == "-" || strings.Contains(name, ",") {
		return fmt.Errorf("tensor %q: the name must not be - or have a comma", name)
	}
	n, known := d.tensors[name]
	if known {
		t := &d.s.Tensors[n]
		given := t.Variable || slices.Contains(d.s.Inputs, n)
		if kind != "o" || !given || slices.Contains(d.s.Outputs, n) {
			return fmt.Errorf("tensor %q is named twice", name)
		}
		if t.Bytes != bytes {
			return fmt.Errorf("tensor %q has %d bytes, and %d before", name, bytes, t.Bytes)
		}
		d.s.Outputs = append(d.s.Outputs, n)
		return nil
	}
	if n, err = d.add(name, bytes); err != nil {
		return err
	}
	d.tensors[name] = n
	d.s.Tensors[n].Variable = kind == "v"
	switch kind {
	case "i":
		d.s.Inputs = append(d.s.Inputs, n)
	case "o":
		d.s.Outputs = append(d.s.Outputs, n)
	}
	return nil
}

func parseBytes(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || n > graph.MaxBytes {
		return 0, fmt.Errorf("%q is not a number of bytes from 0 to %d", word, int64(graph.MaxBytes))
	}
	return n, nil
}

// add returns a new tensor.
func (d *decoder) add(name string, bytes int64) (int, error) {
	if bytes > graph.MaxBytes-d.total {
		return 0, fmt.Errorf("tensor %q: all tensors together have more than %d bytes", name, int64(graph.MaxBytes))
	}
	d.total += bytes
	n := len(d.s.Tensors)
	d.s.Tensors = append(d.s.Tensors, graph.Tensor{Index: n, Name: name, Type: graph.Int8, Bytes: bytes})
	return n, nil
}

func (d *decoder) workspace(label, size string) error {
	i, known := d.ops[label]
	if !known {
		return fmt.Errorf("operator %q is not named before", label)
	}
	bytes, err := parseBytes(size)
	if err != nil {
		return fmt.Errorf("operator %q: %w", label, err)
	}
	op := &d.s.Ops[i]
	n, err := d.add(fmt.Sprintf("%s workspace %d", label, len(op.Workspace)), bytes)
	if err != nil {
		return err
	}
	op.Workspace = append(op.Workspace, n)
	return nil
}

func (d *decoder) operator(kind, label, results string, operands []string) error {
	op := graph.Op{Index: len(d.s.Ops), Code: graph.OpCustom, Custom: kind, Label: label}
	if _, known := d.ops[label]; known {
		return fmt.Errorf("operator %q is named twice", label)
	}
	if results != "-" {
		for name := range strings.SplitSeq(results, ",") {
			n, err := d.find(label, "result", name)
			if err != nil {
				return err
			}
			op.Outputs = append(op.Outputs, n)
		}
	}
	for _, name := range operands {
		n, err := d.find(label, "operand", name)
		if err != nil {
			return err
		}
		op.Inputs = append(op.Inputs, n)
	}
	d.ops[label] = op.Index
	d.s.Ops = append(d.s.Ops, op)
	return nil
}

func (d *decoder) find(op, role, name string) (int, error) {
	n, known := d.tensors[name]
	if !known {
		return 0, fmt.Errorf("operator %q: %s %q is no tensor named before", op, role, name)
	}
	return n, nil
}

func (d *decoder) before(label string, before []string) error {
	i, known := d.ops[label]
	if !known {
		return fmt.Errorf("operator %q is not named before", label)
	}
	for _, name := range before {
		p, known := d.ops[name]
		switch {
		case !known:
			return fmt.Errorf("operator %q: operator %q is not named before", label, name)
		case p >= i:
			return fmt.Errorf("operator %q: operator %q, which it is to wait for, stands after it", label, name)
		}
		d.s.Ops[i].After = append(d.s.Ops[i].After, p)
	}
	return nil
}

// Looks reports whether what a file begins with is the first line of an
// operator graph.
func Looks(head []byte) bool {
	for line := range bytes.Lines(head) {
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) != 3 || !bytes.ContainsAny(words[0], "iotv") || len(words[0]) != 1 {
			return false
		}
		_, err := parseBytes(string(words[2]))
		return err == nil
	}
	return false
}
