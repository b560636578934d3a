package exact

// valley finds, among the states between two, one with the least live bytes:
// all between hold what the smaller holds and are within the larger.
//
// Why a search may jump there. Let A be a state from which X can be reached
// within the budget, and Y the state between A and X with the least live bytes
// M(Y). Write p for an operator, c for what it makes and needs besides, and
// M_p(S) for the live bytes at S without p as a reader of what it may replace:
// p runs after S at M_p(S) + c bytes. M and M_p are submodular: M(S∩T) + M(S∪T)
// is at most M(S) + M(T). Where p is in S, M_p(S) = M(S); where not, M(S) -
// M_p(S) is 0 or the size of what p may replace, and never less at a larger set.
//
// Y can be reached from A: take the path to X and leave out what is not in Y.
// Where p in Y runs after P on the path, it now runs after P∩Y, and
//
//	M_p(P∩Y) <= M_p(P) + M_p(Y) - M_p(P∪Y) = M_p(P) + M(Y) - M(P∪Y) <= M_p(P),
//
// since P∪Y is between A and X.
//
// Any order within the budget that goes on from A goes on from Y as well: let q
// not in Y run after Q in it. After Q∪Y it costs
//
//	M_q(Q∪Y) <= M_q(Q) + M_q(Y) - M_q(Q∩Y) <= M_q(Q),
//
// since Q∩Y is between A and X, so M(Q∩Y) >= M(Y), and what q may replace is
// deducted at Y if it is at Q∩Y.
//
// So nothing but what continues from Y need be looked at. The same holds back in
// time, with unions for intersections. What lives at the first operator only
// spoils the first half of the argument where A is empty.
type valley struct {
	w     *walk
	local []int32 // by operator: its index in ops, or -1
	value []int32 // by value: its node, or -1
	seen  []int32 // values with a node
	kept  []int32 // for callers
	g     flow
}

func newValley(w *walk) *valley {
	v := &valley{w: w, local: make([]int32, w.n), value: make([]int32, len(w.size))}
	for i := range v.local {
		v.local[i] = -1
	}
	for x := range v.value {
		v.value[x] = -1
	}
	return v
}

// keep returns which of the operators that were taken last, in their order,
// lead to the state with the least live bytes: as many as possible. keep is
// overwritten by the next call.
func (v *valley) keep(ops []int32) []bool {
	g := &v.g
	g.reset(len(ops))
	for k, i := range ops {
		v.local[i] = int32(k)
	}
	for k, i := range ops {
		node := int32(k) + 2
		for _, p := range v.w.before.of(i) {
			if v.local[p] >= 0 {
				g.arc(node, v.local[p]+2, infinite)
			}
		}
		if bytes := v.w.lasting[i]; bytes > 0 {
			g.arc(node, sink, bytes)
		}
		for _, x := range v.w.reads.of(i) {
			v.add(x, node)
		}
	}
	v.unread(ops)
	g.run()
	in := g.side(!v.w.back)
	for k, i := range ops {
		v.local[i] = -1
		in[k+2] = in[k+2] != v.w.back
	}
	for _, x := range v.seen {
		v.value[x] = -1
	}
	v.seen = v.seen[:0]
	return in[2 : 2+len(ops)]
}

// add adds value x, which the operator of the node reads, if it can die between
// the states: while the operator is outside, so is the end of the value's life.
func (v *valley) add(x, node int32) {
	if v.value[x] == -1 {
		v.seen = append(v.seen, x)
		v.value[x] = v.open(x)
	}
	if v.value[x] >= 0 {
		v.g.arc(v.value[x], node, infinite)
	}
}

// open returns the node of value x, or -2 if it outlives the larger state.
func (v *valley) open(x int32) int32 {
	outside := v.w.left[x] // at the state that the walk is at
	if v.w.back {          // which is the smaller one
		for _, r := range v.w.readers.of(x) {
			if v.local[r] >= 0 {
				outside--
			}
		}
	}
	maker := source
	if m := v.w.maker[x]; m >= 0 && v.local[m] >= 0 {
		maker = v.local[m] + 2
	}
	if outside > 0 {
		if maker != source {
			v.g.arc(maker, sink, v.w.size[x])
		}
		return -2
	}
	node := v.g.node()
	v.g.arc(maker, node, v.w.size[x])
	return node
}

// unread adds the values that the operators make and others read only.
func (v *valley) unread(ops []int32) {
	for _, i := range ops {
		rest := v.w.made[i] - v.w.lasting[i]
		for _, x := range v.w.makes.of(i) {
			if v.value[x] != -1 {
				rest -= v.w.size[x]
			}
		}
		if rest > 0 {
			v.g.arc(v.local[i]+2, sink, rest)
		}
	}
}
