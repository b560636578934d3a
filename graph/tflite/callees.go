package tflite

import (
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
	flatbuffers "github.com/google/flatbuffers/go"
)

var errNoOptions = errors.New("its options, which name the subgraphs it calls, are missing")

// callees returns the subgraphs an operator calls, unchecked. Subgraphs that
// only describe a computation to a kernel, such as the reducer of
// STABLEHLO_REDUCE_WINDOW, are not called.
func callees(code int32, raw *schema.Operator) ([]int, error) {
	want, second := optionsOf(code)
	if want == 0 {
		return nil, nil
	}
	member, at := raw.BuiltinOptionsType(), raw.BuiltinOptions
	if second {
		member, at = raw.BuiltinOptions2Type(), raw.BuiltinOptions2
	}
	var found schema.Opaque
	if member != want || at(&found) == nil {
		return nil, errNoOptions
	}
	return called(code, found.Table()), nil
}

// optionsOf returns the member of the first or second union of options that
// names the subgraphs an operator calls, or 0 if it calls none.
func optionsOf(code int32) (member byte, second bool) {
	switch code {
	case graph.OpCall:
		return schema.UnionCallOptions, false
	case graph.OpIf:
		return schema.UnionIfOptions, false
	case graph.OpWhile:
		return schema.UnionWhileOptions, false
	case graph.OpCallOnce:
		return schema.UnionCallOnceOptions, false
	case graph.OpStablehloWhile:
		return schema.Union2StablehloWhileOptions, true
	case graph.OpStablehloComposite:
		return schema.Union2CompositeOptions, true
	case graph.OpStablehloCase:
		return schema.Union2CaseOptions, true
	}
	return 0, false
}

// called returns the subgraph indices in the options of an operator.
func called(code int32, t flatbuffers.Table) []int {
	switch code {
	case graph.OpCall:
		var o schema.CallOptions
		o.Init(t.Bytes, t.Pos)
		return []int{int(o.Subgraph())}
	case graph.OpIf:
		var o schema.IfOptions
		o.Init(t.Bytes, t.Pos)
		return []int{int(o.ThenSubgraphIndex()), int(o.ElseSubgraphIndex())}
	case graph.OpWhile, graph.OpStablehloWhile:
		var o schema.WhileOptions
		o.Init(t.Bytes, t.Pos)
		return []int{int(o.CondSubgraphIndex()), int(o.BodySubgraphIndex())}
	case graph.OpCallOnce:
		var o schema.CallOnceOptions
		o.Init(t.Bytes, t.Pos)
		return []int{int(o.InitSubgraphIndex())}
	case graph.OpStablehloComposite:
		var o schema.CompositeOptions
		o.Init(t.Bytes, t.Pos)
		return []int{int(o.DecompositionSubgraphIndex())}
	default:
		var o schema.CaseOptions
		o.Init(t.Bytes, t.Pos)
		list := make([]int, o.BranchSubgraphIndicesLength())
		for i := range list {
			list[i] = int(o.BranchSubgraphIndices(i))
		}
		return list
	}
}

// maxSteps bounds the operators that run, or may run, in one pass over the
// main subgraph with every call followed once: subgraphs that call the next
// one twice each would double them at every level.
const maxSteps = 1 << 20

// calls checks the calls between subgraphs: indices, no recursion, no
// explosion, and numbers of arguments and results.
func (d *decoder) calls() {
	c := caller{d: d, state: make([]callState, len(d.m.Subgraphs)), steps: make([]int, len(d.m.Subgraphs))}
	c.each(c.index)
	if !d.faults.none() {
		return
	}
	for i := range d.m.Subgraphs {
		if c.state[i] == notVisited {
			c.visit(i)
		}
	}
	c.each(c.arity)
}

type caller struct {
	d     *decoder
	state []callState
	steps []int // operators of a subgraph and all it calls
}

type callState uint8

const (
	notVisited callState = iota
	running
	visited
)

func (c *caller) fault(s *graph.Subgraph, op *graph.Op, format string, args ...any) {
	c.d.faults.join(fmt.Sprintf("subgraph %d: operator %d %s: ", s.Index, op.Index, op.Name()), fmt.Errorf(format, args...))
}

// each calls check for every operator with callees.
func (c *caller) each(check func(*graph.Subgraph, *graph.Op)) {
	for _, s := range c.d.m.Subgraphs {
		for i := range s.Ops {
			if len(s.Ops[i].Callees) > 0 {
				check(s, &s.Ops[i])
			}
		}
	}
}

func (c *caller) index(s *graph.Subgraph, op *graph.Op) {
	for i, callee := range op.Callees {
		if callee < 0 || callee >= len(c.d.m.Subgraphs) {
			c.fault(s, op, "callee %d: subgraph index %d is out of range (%d subgraphs)", i, callee, len(c.d.m.Subgraphs))
		}
	}
}

func (c *caller) arity(s *graph.Subgraph, op *graph.Op) {
	n, m := len(op.Inputs), len(op.Outputs)
	if n != m && (op.Code == graph.OpWhile || op.Code == graph.OpStablehloWhile) {
		c.fault(s, op, "has %d inputs and %d outputs, but a loop returns what it is given", n, m)
		return
	}
	for i, callee := range op.Callees {
		in, out := signature(op, i)
		if to := c.d.m.Subgraphs[callee]; len(to.Inputs) != in || len(to.Outputs) != out {
			c.fault(s, op, "calls subgraph %d with %d inputs and %d outputs, which has %d and %d",
				callee, in, out, len(to.Inputs), len(to.Outputs))
		}
	}
}

// signature returns how many inputs and outputs callee i of an operator must
// have.
func signature(op *graph.Op, i int) (in, out int) {
	n, m := len(op.Inputs), len(op.Outputs)
	switch op.Code {
	case graph.OpIf, graph.OpStablehloCase:
		return n - 1, m // the first input chooses
	case graph.OpWhile, graph.OpStablehloWhile:
		if i == 0 {
			return n, 1 // the condition
		}
	case graph.OpCallOnce:
		return 0, 0
	}
	return n, m
}

// visit follows the calls of subgraph i and counts the operators it leads to.
func (c *caller) visit(i int) {
	c.state[i] = running
	s := c.d.m.Subgraphs[i]
	steps := len(s.Ops)
	for k := range s.Ops {
		op := &s.Ops[k]
		for _, callee := range op.Callees {
			if c.state[callee] == notVisited {
				c.visit(callee)
			}
			if c.state[callee] == running {
				c.fault(s, op, "calls subgraph %d, which is running already: recursion", callee)
				continue
			}
			if steps += c.steps[callee]; steps > maxSteps {
				c.fault(s, op, "calls nest so that more than %d operators would run", maxSteps)
				steps = 0
			}
		}
	}
	c.steps[i] = steps
	c.state[i] = visited
}
