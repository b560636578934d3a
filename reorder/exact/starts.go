package exact

import (
	"cmp"
	"math/bits"
	"slices"
)

// starts calls try with orders that cost little to find. Those in depth finish
// one branch before the next, which is what graphs of many like branches need;
// the lists take the next operator by what it adds, forward and back in time.
func (net *network) starts(over func() bool, try func(order []int32)) {
	order := make([]int32, net.n)
	for i := range order {
		order[i] = int32(i)
	}
	try(order)
	need := net.needs()
	keys := []func(p int32) int64{
		func(p int32) int64 { return int64(net.op[p]) },
		func(p int32) int64 { return net.made[p] - need[p] },
		func(p int32) int64 { return -need[p] },
		func(p int32) int64 { return need[p] },
	}
	for _, key := range keys {
		try(net.inDepth(key))
	}
	for _, back := range []bool{false, true} {
		for rule := range listRules {
			if over() {
				return
			}
			try(net.list(back, rule))
		}
	}
}

// needs estimates what each operator takes with all before it: the most that is
// made at one of them.
func (net *network) needs() []int64 {
	need := make([]int64, net.n)
	for i := range int32(net.n) {
		need[i] = net.made[i] + net.passing[i]
		for _, p := range net.before.of(i) {
			need[i] = max(need[i], need[p])
		}
	}
	return need
}

// inDepth returns the post-order from the last operators, those before an
// operator by ascending key.
func (net *network) inDepth(key func(int32) int64) []int32 {
	type visit struct {
		op     int32
		before []int32
	}
	order, seen := make([]int32, 0, net.n), make([]bool, net.n)
	var stack []visit
	enter := func(i int32) {
		seen[i] = true
		before := slices.Clone(net.before.of(i))
		slices.SortStableFunc(before, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
		stack = append(stack, visit{op: i, before: before})
	}
	for root := range int32(net.n) {
		if len(net.after.of(root)) > 0 {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.before) == 0 {
				order = append(order, top.op)
				stack = stack[:len(stack)-1]
				continue
			}
			p := top.before[0]
			top.before = top.before[1:]
			if !seen[p] {
				enter(p)
			}
		}
	}
	return order
}

// listRules is how many rules list knows.
const listRules = 3

// list takes the ready operator with the least key of a rule, step by step: the
// bytes live after it; the peak so far, then those; or these and the bytes live
// while it runs.
func (net *network) list(back bool, rule int) []int32 {
	w := newWalk(net, back)
	peak := w.bytes
	for range net.n {
		best := int32(-1)
		var least [2]int64
		for k, word := range w.ready {
			for ; word != 0; word &= word - 1 {
				v := int32(k<<6 + bits.TrailingZeros64(word))
				through, after := w.through(v), w.bytes+w.net[v]
				var key [2]int64
				switch rule {
				case 0:
					key = [2]int64{after, through}
				case 1:
					key = [2]int64{max(peak, through), after}
				default:
					key = [2]int64{after + through, after}
				}
				if best < 0 || key[0] < least[0] || key[0] == least[0] && key[1] < least[1] {
					best, least = v, key
				}
			}
		}
		peak = max(peak, w.through(best))
		w.take(best)
	}
	if back {
		slices.Reverse(w.trail)
	}
	return w.trail
}
