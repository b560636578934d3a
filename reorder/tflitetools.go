package reorder

// tflite-tools undoes operators from the last state back: the least peak with
// which a state is reached is the least, over the operators that may have run
// last, of the larger of that operator's live bytes and the least peak of the
// state before it. Every state is worked out once.
//
// Complexity: O(2^n n); as many states as there are sets of operators closed
// under what they need: (l+1)^k for k parallel chains of length l.
//
// Reference: E. Liberis, N. D. Lane, "Neural networks on microcontrollers:
// saving memory at inference via operator reordering", 2019, arXiv:1910.05110;
// eliberis/tflite-tools at commit 08709f1.
//
// Departures: the original names a state by its live tensors, here it is named
// by the operators that have run, which the tensors determine on the graphs
// that the original takes: the states are as many. It asserts one result an
// operator, drops operators that reach no output, knows neither control edges
// nor results in the place of operands, and does not end on wide graphs; here
// all of these count, and when the steps, operators undone, or the room for
// states are spent the stored order stands.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type tfliteTools struct{}

const (
	tfliteToolsSteps = 6_000_000 // operators undone
	tfliteToolsBytes = 32 << 20  // of states
)

func (tfliteTools) Info() Info {
	return Info{
		Name:       "tflite-tools",
		Title:      "Liberis and Lane (tflite-tools)",
		Summary:    "programme over all states, from the last back; the stored order if there are too many",
		Reference:  "E. Liberis, N. D. Lane, Neural networks on microcontrollers: saving memory at inference via operator reordering, 2019, arXiv:1910.05110",
		Complexity: "O(2^n n)",
		Guarantee:  "the least peak of all orders, if the search is through with all states within its steps and memory",
	}
}

func (tfliteTools) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	ops, _ := undo(m, newBudget(ctx, o, tfliteToolsSteps))
	return noWorse(m, "tflite-tools", ops), nil
}

// undo returns an order of the least peak, and false if the budget ended first.
func undo(m *graph.Memory, b *budget) (ops []int, exact bool) {
	p := wholePart(m)
	u := undoing{part: p, budget: b, states: newStates(p.words), now: make(opset, p.words)}
	u.states.find(u.now)
	u.states.live[0], u.states.peak[0] = p.start, 0
	for i := range p.ops {
		u.now.add(i)
	}
	end := u.best()
	if b.ended {
		return nil, false
	}
	ops = make([]int, len(p.ops))
	for k := len(ops) - 1; k >= 0; k-- {
		ops[k] = p.ops[u.states.op[end]]
		end = int(u.states.from[end])
	}
	return ops, true
}

// undoing is the recursion over states.
type undoing struct {
	*part
	*budget
	states *states
	now    opset // operators that have run
}

// best returns the state of the operators that have run, worked out, unless
// the budget ended.
func (u *undoing) best() int {
	s, added := u.states.find(u.now)
	if !added {
		return s
	}
	if u.states.len()*(32+8*u.words) > tfliteToolsBytes {
		u.ended = true
	}
	for w := range u.now {
		for word := u.now[w]; word != 0; word &= word - 1 {
			v := lowest(w, word)
			if !u.now.hasNone(u.succ[v]) {
				continue
			}
			if !u.step() {
				return s
			}
			u.now.drop(v)
			before := u.best()
			if u.ended {
				return s
			}
			during, after := u.run(u.now, v)
			u.now.add(v)
			live := u.states.live[before]
			u.states.live[s] = live + after
			if peak := max(u.states.peak[before], live+during); peak < u.states.peak[s] {
				u.states.peak[s], u.states.from[s], u.states.op[s] = peak, int32(before), int32(v)
			}
		}
	}
	return s
}
