package opgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// Encode writes the first subgraph of a model. What has no room of its own in
// an arena is left out: constants, and tensors without a static size. So are
// subgraphs that operators call, working memory and kernels. What keeps
// operators with side effects in order is written as lines "b". Names that the
// format does not allow, and missing ones, are replaced by t0, op0 and so on.
func Encode(w io.Writer, m *graph.Model) error {
	if len(m.Subgraphs) == 0 {
		return fmt.Errorf("%s: the model has no subgraphs", m.Name)
	}
	s := m.Subgraphs[0]
	e := encoder{w: bufio.NewWriter(w), s: s, names: make([]string, len(s.Tensors)), labels: make([]string, len(s.Ops))}
	e.name()
	e.tensors()
	for i := range s.Ops {
		e.operator(&s.Ops[i])
	}
	return e.w.Flush()
}

type encoder struct {
	w      *bufio.Writer
	s      *graph.Subgraph
	names  []string // by tensor; "" if it is left out
	labels []string // by operator
}

// name chooses unique names.
func (e *encoder) name() {
	wanted := make([]string, len(e.s.Tensors))
	for t := range wanted {
		tensor := &e.s.Tensors[t]
		if !tensor.Constant && tensor.Bytes >= 0 {
			wanted[t] = tensor.Name
			if wanted[t] == "-" || wanted[t] == "" || strings.Contains(wanted[t], ",") {
				wanted[t] = " "
			}
		}
	}
	unique(e.names, wanted, "t")
	wanted = make([]string, len(e.s.Ops))
	for i := range wanted {
		if wanted[i] = e.s.Ops[i].Label; wanted[i] == "" {
			wanted[i] = " "
		}
	}
	unique(e.labels, wanted, "op")
}

// unique fills in names: those that are wanted, if they are words and no other
// has them; "" stays "".
func unique(names, wanted []string, prefix string) {
	taken := map[string]bool{}
	for k, name := range wanted {
		if name != "" && len(strings.Fields(name)) == 1 && strings.Fields(name)[0] == name && !taken[name] {
			names[k], taken[name] = name, true
		}
	}
	for k, name := range wanted {
		if name == "" || names[k] != "" {
			continue
		}
		name = fmt.Sprint(prefix, k)
		for taken[name] {
			name += "_"
		}
		names[k], taken[name] = name, true
	}
}

func (e *encoder) tensors() {
	inputs, outputs := set(e.s, e.s.Inputs), set(e.s, e.s.Outputs)
	line := func(kind string, t int) { fmt.Fprintf(e.w, "%s %s %d\n", kind, e.names[t], e.s.Tensors[t].Bytes) }
	for t, name := range e.names {
		given := inputs[t] || e.s.Tensors[t].Variable
		switch {
		case name == "":
			continue
		case inputs[t]:
			line("i", t)
		case e.s.Tensors[t].Variable:
			line("v", t)
		case !outputs[t]:
			line("t", t)
		}
		if outputs[t] {
			if !given && e.s.Producer[t] < 0 {
				line("i", t) // is there before anything runs
			}
			line("o", t)
		}
	}
}

func set(s *graph.Subgraph, list []int) []bool {
	in := make([]bool, len(s.Tensors))
	for _, t := range list {
		in[t] = true
	}
	return in
}

func (e *encoder) operator(op *graph.Op) {
	kind := op.Custom
	if op.Code != graph.OpCustom {
		kind = op.Name()
	}
	if kind = strings.Join(strings.Fields(kind), "_"); kind == "" {
		kind = "CUSTOM"
	}
	var made []string
	for _, t := range op.Outputs {
		if e.names[t] != "" {
			made = append(made, e.names[t])
		}
	}
	if made == nil {
		made = []string{"-"}
	}
	fmt.Fprintf(e.w, "n %s %s %s", kind, e.labels[op.Index], strings.Join(made, ","))
	var flow []int
	for _, t := range op.Inputs {
		if t >= 0 && e.names[t] != "" {
			fmt.Fprintf(e.w, " %s", e.names[t])
			flow = append(flow, e.s.Producer[t])
		}
	}
	fmt.Fprintln(e.w)
	var after []string
	for _, p := range e.s.Before[op.Index] {
		if !slices.Contains(flow, p) {
			after = append(after, e.labels[p])
		}
	}
	if after != nil {
		fmt.Fprintf(e.w, "b %s %s\n", e.labels[op.Index], strings.Join(after, " "))
	}
}
