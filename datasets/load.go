package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/opgraph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/lifetime"
)

// Input is one file of a run, read. Exactly one of Model, Table and Err is
// set.
type Input struct {
	Name  string // unique in its Set
	Path  string // as it was given or found; "-" for standard input
	Hash  string // hex SHA-256 of the bytes; empty if they could not be read
	Model *graph.Model
	Table *lifetime.Table
	// Optimum is the smallest arena of the table in bytes, if the file says so
	// in a comment as WriteSynthetic writes it; else 0. It is what the file
	// says, not a proof.
	Optimum int64
	Err     error // why there is neither model nor table; it names the file
}

// LoadOptions say how files are read.
type LoadOptions struct {
	Closed bool      // lifetimes of tables are closed intervals [lower, upper]
	Stdin  io.Reader // a lifetime table, read for the path "-"
}

// Skipped counts what a walk through folders passed over.
type Skipped struct {
	Hidden int // files and folders whose name starts with a dot
	Other  int // files that are neither models nor graphs nor tables
	Twice  int // files that were given or found more than once
}

// String returns the counts in words, or "" if nothing was skipped.
func (s Skipped) String() string {
	var parts []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	say(s.Hidden, "hidden file or folder", "hidden files or folders")
	say(s.Other, "file that is no model, graph or table", "files that are no models, graphs or tables")
	say(s.Twice, "file named twice", "files named twice")
	if len(parts) == 0 {
		return ""
	}
	return "skipped " + strings.Join(parts, ", ")
}

// Set is a list of files that are read one by one when they are asked for, so
// that a folder of any size takes the memory of its largest file.
type Set struct {
	Skipped Skipped
	entries []entry
	known   map[string]bool // ids of entries
}

// entry is a file found but not read.
type entry struct {
	name string
	path string // as people see it
	id   string // equal for the same file
	read func() (Input, error)
}

// safeRead makes an error of a panic: whatever a file holds, it must not end a
// run over many.
func (e *entry) safeRead() (in Input, err error) {
	defer func() {
		if v := recover(); v != nil {
			in, err = Input{}, fmt.Errorf("panic while reading: %v", v)
		}
	}()
	return e.read()
}

// Len returns the number of files.
func (s *Set) Len() int { return len(s.entries) }

// Names returns the unique names of the files, in the order of All.
func (s *Set) Names() []string {
	names := make([]string, len(s.entries))
	for i := range s.entries {
		names[i] = s.entries[i].name
	}
	return names
}

// At reads file i. A file that cannot be read is an Input with Err.
func (s *Set) At(i int) Input {
	e := &s.entries[i]
	in, err := e.safeRead()
	in.Name, in.Path = e.name, e.path
	if err != nil {
		in.Model, in.Table, in.Optimum = nil, nil, 0
		in.Err = namedError(e.path, err)
	}
	if in.Model != nil {
		in.Model.Name, in.Model.Path = e.name, e.path
	}
	if in.Table != nil {
		in.Table.Name = e.name
	}
	return in
}

// All reads the files one after the other, in the order of the arguments of
// Load and, within a folder, in lexical order.
func (s *Set) All() iter.Seq[Input] {
	return func(yield func(Input) bool) {
		for i := range s.entries {
			if !yield(s.At(i)) {
				return
			}
		}
	}
}

// Load finds the files that the paths name: models (.tflite, .lite), operator
// graphs (.graph, or .txt if they begin as one), lifetime tables (.csv), folders, which are walked through with all their folders, and
// "-", a table on standard input. A file that is named itself may have any
// extension. Nothing is decoded before it is asked for. A path that does not
// exist, and a folder without a model or table, is an Input with Err, so that
// the others are planned all the same.
func Load(paths []string, o LoadOptions) *Set {
	s := Set{known: make(map[string]bool)}
	for _, p := range paths {
		if p == "-" {
			s.add(stdinEntry(o))
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			s.add(faultyEntry(p, err))
			continue
		}
		if info.IsDir() {
			err = s.walk(os.DirFS(p), ".", func(rel string) entry {
				return diskEntry(filepath.Join(p, filepath.FromSlash(rel)), o)
			})
			if err != nil {
				s.add(faultyEntry(p, fmt.Errorf("folder %s: %w", p, err)))
			}
			continue
		}
		if !info.Mode().IsRegular() {
			s.add(pipeEntry(p, func() ([]byte, error) { return os.ReadFile(p) }, o))
			continue
		}
		s.add(diskEntry(p, o))
	}
	s.nameAll()
	return &s
}

// LoadFS is Load for the files of fsys, such as an embedded set.
func LoadFS(fsys fs.FS, paths []string, o LoadOptions) *Set {
	s := Set{known: make(map[string]bool)}
	for _, p := range paths {
		info, err := fs.Stat(fsys, p)
		if err != nil {
			s.add(faultyEntry(p, err))
			continue
		}
		if info.IsDir() {
			err = s.walk(fsys, p, func(rel string) entry { return fsEntry(fsys, rel, o) })
			if err != nil {
				s.add(faultyEntry(p, fmt.Errorf("folder %s: %w", p, err)))
			}
			continue
		}
		s.add(fsEntry(fsys, p, o))
	}
	s.nameAll()
	return &s
}

// faultyEntry stands for a path that leads to nothing.
func faultyEntry(p string, err error) entry {
	return entry{path: p, id: "faulty " + p, read: func() (Input, error) { return Input{}, err }}
}

func (s *Set) add(e entry) {
	if s.known[e.id] {
		s.Skipped.Twice++
		return
	}
	s.known[e.id] = true
	s.entries = append(s.entries, e)
}

var errNoModels = errors.New("no models (.tflite, .lite), operator graphs (.graph, .txt) and lifetime tables (.csv) in it")

// walk adds the models and tables below root. What cannot be listed becomes an
// entry that reports so, and the walk goes on.
func (s *Set) walk(fsys fs.FS, root string, open func(string) entry) error {
	before, skipped := len(s.entries), s.Skipped
	err := fs.WalkDir(fsys, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			e := open(p)
			e.read = func() (Input, error) { return Input{}, err }
			s.add(e)
			return fs.SkipDir
		}
		if p != root && strings.HasPrefix(path.Base(p), ".") {
			s.Skipped.Hidden++
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		if info, err := fs.Stat(fsys, p); !wanted(fsys, p) || err == nil && !info.Mode().IsRegular() {
			s.Skipped.Other++
			return nil
		}
		s.add(open(p))
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.entries) > before || s.Skipped.Twice > skipped.Twice {
		return nil
	}
	seen := Skipped{Hidden: s.Skipped.Hidden - skipped.Hidden, Other: s.Skipped.Other - skipped.Other}
	if seen == (Skipped{}) {
		return fmt.Errorf("%w: the folder is empty", errNoModels)
	}
	return fmt.Errorf("%w: %s", errNoModels, seen)
}

func wanted(fsys fs.FS, p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".tflite", ".lite", ".graph", ".csv":
		return true
	case ".txt":
		f, err := fsys.Open(p)
		if err != nil {
			return false
		}
		defer f.Close()
		head, err := readHead(f)
		return err == nil && opgraph.Looks(head)
	}
	return false
}

func diskEntry(p string, o LoadOptions) entry {
	id, err := filepath.Abs(p)
	if err != nil {
		id = p
	}
	return entry{path: p, id: id, read: func() (Input, error) { return readDisk(p, o) }}
}

func fsEntry(fsys fs.FS, p string, o LoadOptions) entry {
	return entry{path: p, id: path.Clean(p), read: func() (Input, error) {
		data, err := fs.ReadFile(fsys, p)
		if err != nil {
			return Input{}, err
		}
		return decode(data, p, o)
	}}
}

func stdinEntry(o LoadOptions) entry {
	return pipeEntry("-", func() ([]byte, error) {
		if o.Stdin == nil {
			return nil, errors.New("no standard input")
		}
		return io.ReadAll(o.Stdin)
	}, o)
}

// pipeEntry is for what can be read only once, while a Set can be read as often
// as one likes.
func pipeEntry(p string, read func() ([]byte, error), o LoadOptions) entry {
	all := sync.OnceValues(read)
	return entry{path: p, id: p, read: func() (Input, error) {
		data, err := all()
		if err != nil {
			return Input{}, err
		}
		return decode(data, p, o)
	}}
}

// readDisk reads models by path, which leaves their weights on disk, and
// tables whole.
func readDisk(p string, o LoadOptions) (Input, error) {
	f, err := os.Open(p)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	head, err := readHead(f)
	if err != nil {
		return Input{}, err
	}
	if isModel(p, head) {
		m, err := tflite.Read(p)
		if err != nil {
			return Input{Hash: hashFile(p)}, err
		}
		return Input{Model: m, Hash: m.Hash}, nil
	}
	data, err := os.ReadFile(p)
	if err != nil {
		return Input{}, err
	}
	return decode(data, p, o)
}

func decode(data []byte, p string, o LoadOptions) (Input, error) {
	switch {
	case isModel(p, data):
		m, err := tflite.Decode(data, p)
		return Input{Model: m, Hash: hash(data)}, err
	case isGraph(p, data):
		m, err := opgraph.Decode(bytes.NewReader(data), p)
		return Input{Model: m, Hash: hash(data)}, err
	}
	return readTable(data, p, o)
}

func readTable(data []byte, p string, o LoadOptions) (Input, error) {
	t, err := lifetime.ReadCSV(bytes.NewReader(data), lifetime.CSVOptions{Name: p, Closed: o.Closed})
	return Input{Table: t, Hash: hash(data), Optimum: claimedOptimum(data)}, err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hashFile returns the hash of a file that could not be decoded, or "".
func hashFile(p string) string {
	f, err := os.Open(p)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// namedError makes sure that the error names the file.
func namedError(p string, err error) error {
	if strings.Contains(err.Error(), p) {
		return err
	}
	return fmt.Errorf("%s: %w", p, err)
}
