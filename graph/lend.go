package graph

import "slices"

// Subgraphs that others call, as TFLite prepares them: each has an arena of its
// own, planned while the operator that calls it is prepared.
//
// Source: Prepare of tflite/kernels/{if,while,stablehlo_composite}.cc and
// Subgraph::RemoveUnusedInputs in tflite/core/subgraph.cc of
// google-ai-edge/LiteRT at f67457790c9c.

// lending says what the callers of a subgraph do with its memory.
type lending struct {
	inputs  bool // they lie in the memory of the caller
	prunes  bool // those that nothing reads are dropped
	results bool // when it runs, its results lie in the memory of the caller as well
}

// lends finds the operators that call the subgraph.
func (m *Model) lends(subgraph int) (l lending) {
	for _, s := range m.Subgraphs {
		for i := range s.Ops {
			op := &s.Ops[i]
			for k, c := range op.Callees {
				switch {
				case c != subgraph || op.Code == OpCallOnce: // which has no inputs
				case op.Code == OpWhile && k == 0:
					l.prunes = true // the condition reads copies
				case op.Code == OpWhile:
					l.inputs = true
				default:
					l.inputs, l.prunes, l.results = true, true, true
				}
			}
		}
	}
	return l
}

// lend takes out of the arena the inputs that the callers of the subgraph lend
// it, and those that they drop.
func (b *builder) lend(x *sub) {
	if !b.p.Lends {
		return
	}
	x.lending = b.m.lends(x.s.Index)
	for _, t := range x.s.Inputs {
		switch {
		case x.dropped(t):
			x.away[t] = IsUnused
		case x.lending.inputs && !x.s.Tensors[t].Type.Handle():
			x.away[t] = IsLent
		}
	}
}

// unclaim takes out of the arena the results of a loop that its body never
// changes and nothing reads: the body has the operand instead.
func (b *builder) unclaim(x *sub) {
	if !b.p.Lends {
		return
	}
	for _, i := range x.ops {
		op := &x.s.Ops[i]
		if op.Code != OpWhile || len(op.Callees) != 2 {
			continue
		}
		body := b.m.Subgraphs[op.Callees[1]]
		for k := range min(len(op.Outputs), len(body.Inputs), len(body.Outputs)) {
			t := op.Outputs[k]
			changes := body.Inputs[k] != body.Outputs[k]
			if !changes && len(x.s.Consumers[t]) == 0 && !slices.Contains(x.s.Outputs, t) &&
				x.s.Tensors[t].Type != String && !x.s.Tensors[t].Type.Handle() {
				x.away[t] = IsUnused
			}
		}
	}
}

// dropped reports whether a graph input is one that callers remove, as nothing
// reads it.
func (x *sub) dropped(t int) bool {
	return x.lending.prunes && len(x.s.Consumers[t]) == 0 && !slices.Contains(x.s.Outputs, t)
}

// lendingNotes says what of a called subgraph is in the memory of others.
func (b *builder) lendingNotes(note func(string, ...any)) {
	x := b.subs[b.s.Index]
	lent := 0
	for _, o := range b.out.Outside {
		if o.Reason == IsLent && o.Tensor.Subgraph == b.s.Index {
			lent++
		}
	}
	if lent > 0 {
		note("inputs that lie in the memory of the operator that calls the subgraph: %d", lent)
	}
	if x.lending.results {
		note("results that move into the memory of the caller when the subgraph runs, for which it is planned anew: planned as they are before")
	}
}
