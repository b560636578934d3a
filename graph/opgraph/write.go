package opgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// Encode writes the first subgraph of a model. Constants are left out, and so
// are the subgraphs that operators call and the working memory that kernels ask
// for; tensors without a static size have 0 bytes. What keeps operators with
// side effects in order is written as lines "b". Names that the
// format does not allow, and missing ones, are replaced by t0, op0 and so on.
func Encode(w io.Writer, m *graph.Model) error {
	if len(m.Subgraphs) == 0 {
		return fmt.Errorf("%s: the model has no subgraphs", m.Name)
	}
	return EncodeOrder(w, m, graph.Stored(m.Subgraphs[0]))
}

// EncodeOrder is Encode with the operators in the given order, and the tensors
// in that of their numbers if the order has some.
func EncodeOrder(w io.Writer, m *graph.Model, o graph.Order) error {
	if len(m.Subgraphs) == 0 {
		return fmt.Errorf("%s: the model has no subgraphs", m.Name)
	}
	s := m.Subgraphs[0]
	if err := s.CheckOrder(o); err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	e := encoder{w: bufio.NewWriter(w), s: s, names: make([]string, len(s.Tensors)), labels: make([]string, len(s.Ops))}
	e.name()
	e.tensors(o)
	for _, i := range o.Ops {
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
	var workspace []int
	for i := range e.s.Ops {
		workspace = append(workspace, e.s.Ops[i].Workspace...)
	}
	for t := range wanted {
		tensor := &e.s.Tensors[t]
		if !tensor.Constant && !slices.Contains(workspace, t) {
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

func (e *encoder) tensors(o graph.Order) {
	inputs, outputs := set(e.s, e.s.Inputs), set(e.s, e.s.Outputs)
	line := func(kind string, t int) {
		fmt.Fprintf(e.w, "%s %s %d\n", kind, e.names[t], max(e.s.Tensors[t].Bytes, 0))
	}
	sequence := make([]int, len(e.names))
	for t := range sequence {
		sequence[t] = t
		if o.Numbers != nil {
			sequence[o.Numbers[t]] = t
		}
	}
	for _, t := range sequence {
		name := e.names[t]
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
	for _, t := range op.Workspace {
		fmt.Fprintf(e.w, "w %s %d\n", e.labels[op.Index], max(e.s.Tensors[t].Bytes, 0))
	}
	var after []string
	for _, p := range e.control(op, flow) {
		after = append(after, e.labels[p])
	}
	if after != nil {
		fmt.Fprintf(e.w, "b %s %s\n", e.labels[op.Index], strings.Join(after, " "))
	}
}

// control returns the operators that must run before op although it reads
// nothing of theirs, but for those that others of its predecessors wait for.
func (e *encoder) control(op *graph.Op, flow []int) []int {
	before := e.s.Before[op.Index]
	var list []int
	for _, p := range before {
		if !slices.Contains(flow, p) && !slices.ContainsFunc(before, func(q int) bool { return q > p && e.waits(q, p) }) {
			list = append(list, p)
		}
	}
	return list
}

// waits reports whether operator q runs after p in every order. Before lists
// what comes earlier in stored order only, so that the search is bounded by
// what lies between the two.
func (e *encoder) waits(q, p int) bool {
	seen := make([]bool, q-p)
	stack := []int{q}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range e.s.Before[i] {
			if k == p {
				return true
			}
			if k > p && !seen[k-p] {
				seen[k-p] = true
				stack = append(stack, k)
			}
		}
	}
	return false
}
