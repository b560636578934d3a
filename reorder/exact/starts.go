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
	for _, back := range []bool{false, true} {
		leaves := net.made
		before := &net.before
		if back {
			leaves, before = net.readBytes(), &net.after
		}
		need := net.needs(before, leaves, back)
		keys := []func(p int32) int64{
			func(p int32) int64 { return leaves[p] - need[p] },
			func(p int32) int64 { return int64(net.op[p]) },
			func(p int32) int64 { return -need[p] },
			func(p int32) int64 { return need[p] },
		}
		for _, key := range keys {
			try(net.inDepth(before, back, key))
		}
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

// readBytes returns what each operator reads that can die.
func (net *network) readBytes() []int64 {
	bytes := make([]int64, net.n)
	for i := range int32(net.n) {
		for _, x := range net.reads.of(i) {
			bytes[i] += net.size[x]
		}
	}
	return bytes
}

// needs estimates the peak of what each operator waits for and itself, in the
// best order in depth: that which would be it in a tree, where what takes most
// above what it leaves comes first.
func (net *network) needs(before *lists, leaves []int64, back bool) []int64 {
	need := make([]int64, net.n)
	var list []int32
	for k := range net.n {
		i := int32(k)
		if back {
			i = int32(net.n - 1 - k)
		}
		list = append(list[:0], before.of(i)...)
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(leaves[a]-need[a], leaves[b]-need[b]) })
		var sum int64
		for _, p := range list {
			need[i] = max(need[i], sum+need[p])
			sum += leaves[p]
		}
		need[i] = max(need[i], sum+leaves[i]+net.passing[i])
	}
	return need
}

// inDepth returns the post-order from the last operators, those before an
// operator by ascending key; or the same back in time.
func (net *network) inDepth(before *lists, back bool, key func(int32) int64) []int32 {
	type visit struct {
		op     int32
		before []int32
	}
	order, seen := make([]int32, 0, net.n), make([]bool, net.n)
	var stack []visit
	enter := func(list []int32) []int32 {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
		return list
	}
	var roots []int32
	for i := range int32(net.n) {
		if !back && len(net.after.of(i)) == 0 || back && len(net.before.of(i)) == 0 {
			roots = append(roots, i)
		}
	}
	stack = append(stack, visit{-1, enter(roots)})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.before) == 0 {
			if top.op >= 0 {
				order = append(order, top.op)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		p := top.before[0]
		top.before = top.before[1:]
		if !seen[p] {
			seen[p] = true
			stack = append(stack, visit{p, enter(slices.Clone(before.of(p)))})
		}
	}
	if back {
		slices.Reverse(order)
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
