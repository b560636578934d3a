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
// all of these count, and when the budget of states is spent the stored order
// stands.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type tfliteTools struct{}

// tfliteToolsBytes is the room for states unless the options name their number.
const tfliteToolsBytes = 32 << 20

func (tfliteTools) Info() Info {
	return Info{
		Name:       "tflite-tools",
		Title:      "Liberis and Lane (tflite-tools)",
		Summary:    "programme over all states, from the last back; the stored order if there are too many",
		Reference:  "E. Liberis, N. D. Lane, Neural networks on microcontrollers: saving memory at inference via operator reordering, 2019, arXiv:1910.05110",
		Complexity: "O(2^n n)",
		Guarantee:  "the least peak of all orders, if all states fit the budget of states",
	}
}

func (tfliteTools) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	states := int64(tfliteToolsBytes / (32 + 8*((len(m.Ops)+63)/64)))
	ops, _ := undo(m, newBudget(ctx, o, states))
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
	if !added || !u.step() {
		return s
	}
	for w := range u.now {
		for word := u.now[w]; word != 0; word &= word - 1 {
			v := lowest(w, word)
			if !u.now.hasNone(u.succ[v]) {
				continue
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
