package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/graph"
)

// Text says the bound and its argument in words, in one line or, for a
// refutation by cases, in several. Operators are named as in the model.
func (b *Bound) Text(m *graph.Memory) string {
	t := text{m: m}
	t.printf("%d bytes: ", b.Value)
	switch b.Kind {
	case Floor:
		t.printf("that much lives before the first operator or after the last")
	case Operator:
		t.printf("%s reads, makes and needs that much", t.op(b.Op))
	case Ends:
		if b.Last {
			t.printf("that much is live at whichever operator runs last")
		} else {
			t.printf("that much is live at whichever operator runs first")
		}
	case Cut:
		t.printf("that much is live while %s runs, whatever else has run", t.op(b.Op))
	case Set:
		t.printf("that much is live at whichever of %d operators (%s) is %s of them to run",
			len(b.Ops), strings.Join(t.list(b.Ops), ", "), place(b.Last))
	case Precedence, Tree:
		t.printf("no order keeps within %d", b.Budget)
		if b.Root != nil {
			t.printf(": ")
			t.node(b.Root, 0)
		}
	default:
		t.printf("of unknown kind %q", b.Kind)
	}
	return t.String()
}

type text struct {
	strings.Builder
	m *graph.Memory
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(&t.Builder, format, args...) }

// op names an operator.
func (t *text) op(i int) string {
	if t.m.Subgraph == nil || i < 0 || i >= len(t.m.Subgraph.Ops) {
		return fmt.Sprintf("operator %d", i)
	}
	return fmt.Sprintf("operator %d (%s)", i, t.m.Subgraph.Ops[i].Name())
}

func place(last bool) string {
	if last {
		return "last"
	}
	return "first"
}

// list numbers operators, the first few if there are many.
func (t *text) list(ops []int) []string {
	const most = 12
	var list []string
	for _, i := range ops[:min(most, len(ops))] {
		list = append(list, fmt.Sprint(i))
	}
	if len(ops) > most {
		list = append(list, "…")
	}
	return list
}

// node says the lines of a node in the way of one who argues: what cannot be,
// and in the end what cannot be either.
func (t *text) node(n *Node, depth int) {
	later := -1 // of the operators of the last line
	for k, l := range n.Lines {
		if k > 0 {
			t.printf("; ")
		}
		if l.After {
			t.printf("%s cannot run before %s", t.op(l.Op), t.op(l.Other))
			later = l.Op
		} else {
			t.printf("%s cannot run before %s", t.op(l.Other), t.op(l.Op))
			later = l.Other
		}
	}
	if n.Cases == nil {
		switch {
		case len(n.Set) > 0:
			if len(n.Lines) > 0 {
				t.printf("; and ")
			}
			t.printf("none of %d operators (%s) can be the %s of them to run",
				len(n.Set), strings.Join(t.list(n.Set), ", "), place(n.Last))
		case len(n.Lines) == 0:
			t.printf("%s cannot run", t.op(n.Over))
		case n.Over == later:
			t.printf(", and cannot run after it either")
		default:
			t.printf("; and %s cannot run then", t.op(n.Over))
		}
		return
	}
	if len(n.Lines) > 0 {
		t.printf("; ")
	}
	c := n.Cases
	t.printf("by cases:")
	indent := "\n" + strings.Repeat("  ", depth+1)
	for _, side := range []struct {
		first, second int
		node          *Node
	}{{c.A, c.B, c.AFirst}, {c.B, c.A, c.BFirst}} {
		t.printf("%sif %s runs before %s: ", indent, t.op(side.first), t.op(side.second))
		if side.node != nil {
			t.node(side.node, depth+1)
		}
	}
}

// Involved returns the operators that the witness names, ascending.
func (b *Bound) Involved() []int {
	var ops []int
	switch b.Kind {
	case Operator, Cut:
		ops = append(ops, b.Op)
	case Set:
		ops = append(ops, b.Ops...)
	case Precedence, Tree:
		b.Root.involved(&ops)
	}
	slices.Sort(ops)
	return slices.Compact(ops)
}

func (n *Node) involved(ops *[]int) {
	if n == nil {
		return
	}
	for _, l := range n.Lines {
		*ops = append(*ops, l.Op, l.Other)
	}
	switch {
	case n.Cases == nil && len(n.Set) > 0:
		*ops = append(*ops, n.Set...)
		return
	case n.Cases == nil:
		*ops = append(*ops, n.Over)
		return
	}
	*ops = append(*ops, n.Cases.A, n.Cases.B)
	n.Cases.AFirst.involved(ops)
	n.Cases.BFirst.involved(ops)
}
