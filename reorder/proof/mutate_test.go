package proof_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/bound"
	"github.com/arenalab/arenalab/reorder/proof"
	"github.com/arenalab/arenalab/reorder/proof/prooftest"
)

// judge finds what a witness proves by going through all sets of operators.
type judge struct {
	m     *graph.Memory
	pairs [][2]int // known: the first runs before the second
}

// least returns the least bytes at v over all sets that can have run, with some
// operators in it and some not; MaxInt64 if there is none.
func (j *judge) least(v int, in, out []int) int64 {
	least := int64(math.MaxInt64)
	m := *j.m
	m.First = 0
	for s := range uint(1) << len(m.Ops) {
		if !j.possible(s, v, in, out) {
			continue
		}
		least = min(least, prooftest.Live(&m, s, v))
	}
	return least
}

func (j *judge) possible(s uint, v int, in, out []int) bool {
	has := func(u int) bool { return s>>u&1 != 0 }
	for w, list := range j.m.Before {
		for _, u := range list {
			if (has(w) || w == v) && !has(u) {
				return false
			}
		}
	}
	for _, q := range j.pairs {
		if (has(q[1]) || q[1] == v) && !has(q[0]) {
			return false
		}
	}
	return !has(v) && !slices.ContainsFunc(in, func(u int) bool { return !has(u) }) && !slices.ContainsFunc(out, has)
}

// proves reports whether the witness of a bound proves it.
func (j *judge) proves(b *proof.Bound) bool {
	n := len(j.m.Ops)
	known := func(v int) bool { return v >= 0 && v < n }
	switch b.Kind {
	case proof.Cut:
		least := int64(math.MaxInt64)
		if known(b.Op) {
			least = j.least(b.Op, nil, nil)
		}
		return known(b.Op) && b.Value <= least
	case proof.Set:
		return j.set(b.Ops, b.Last, b.Value)
	}
	unit := int64(0) // the slow way: the greatest that divides all
	for d := int64(1); d <= 200; d++ {
		if j.divides(d) {
			unit = d
		}
	}
	cases := b.Kind == proof.Tree || b.Root.Cases == nil
	return cases && b.Value <= (b.Budget/unit+1)*unit && b.Budget >= 0 && j.refutes(b.Root, b.Budget)
}

// set reports whether so many bytes are live whichever of a set is the first of
// it, or the last.
func (j *judge) set(ops []int, last bool, bytes int64) bool {
	for k, v := range ops {
		if v < 0 || v >= len(j.m.Ops) || k > 0 && ops[k-1] >= v {
			return false
		}
	}
	for _, v := range ops {
		in := slices.DeleteFunc(slices.Clone(ops), func(u int) bool { return u == v })
		var out []int
		if !last {
			in, out = out, in
		}
		if j.least(v, in, out) < bytes {
			return false
		}
	}
	return len(ops) > 0
}

func (j *judge) divides(d int64) bool {
	ok := j.m.Base%d == 0 && j.m.First%d == 0 && j.m.Floor%d == 0
	for _, v := range j.m.Values {
		ok = ok && v.Size%d == 0
	}
	for _, op := range j.m.Ops {
		ok = ok && op.Transient%d == 0
	}
	return ok
}

func (j *judge) refutes(n *proof.Node, budget int64) bool {
	defer func(k int) { j.pairs = j.pairs[:k] }(len(j.pairs))
	known := func(v int) bool { return v >= 0 && v < len(j.m.Ops) }
	for _, l := range n.Lines {
		switch {
		case !known(l.Op) || !known(l.Other) || l.Op == l.Other:
			return false
		case l.After && j.least(l.Op, nil, []int{l.Other}) > budget:
			j.pairs = append(j.pairs, [2]int{l.Other, l.Op})
		case !l.After && j.least(l.Op, []int{l.Other}, nil) > budget:
			j.pairs = append(j.pairs, [2]int{l.Op, l.Other})
		default:
			return false
		}
	}
	c := n.Cases
	if c == nil && len(n.Set) > 0 {
		return j.set(n.Set, n.Last, budget+1)
	}
	if c == nil {
		return known(n.Over) && j.least(n.Over, nil, nil) > budget
	}
	if !known(c.A) || !known(c.B) || c.A == c.B {
		return false
	}
	k := len(j.pairs)
	j.pairs = append(j.pairs, [2]int{c.A, c.B})
	ok := j.refutes(c.AFirst, budget)
	j.pairs = append(j.pairs[:k], [2]int{c.B, c.A})
	return ok && j.refutes(c.BFirst, budget)
}

// mutate changes something of a bound.
func mutate(r *rand.Rand, b *proof.Bound, n int) {
	op := func() int { return r.IntN(n+2) - 1 }
	switch r.IntN(6) {
	case 0:
		b.Value += r.Int64N(5) - 1
		return
	case 1:
		if b.Root != nil {
			b.Budget += r.Int64N(7) - 3
			return
		}
	}
	switch {
	case b.Root != nil:
		mutateNode(r, b.Root, op)
	case b.Kind == proof.Set && r.IntN(3) == 0:
		b.Last = !b.Last
	case b.Kind == proof.Set && r.IntN(2) == 0:
		b.Ops = slices.Delete(b.Ops, 0, 1)
	case b.Kind == proof.Set:
		b.Ops[r.IntN(len(b.Ops))] = op()
		slices.Sort(b.Ops)
	default:
		b.Op = op()
	}
}

func mutateNode(r *rand.Rand, n *proof.Node, op func() int) {
	if c := n.Cases; c != nil {
		switch r.IntN(4) {
		case 0:
			c.A = op()
		case 1:
			c.AFirst, c.BFirst = c.BFirst, c.AFirst
		case 2:
			mutateNode(r, c.AFirst, op)
		default:
			mutateNode(r, c.BFirst, op)
		}
		return
	}
	if len(n.Lines) == 0 || r.IntN(4) == 0 {
		switch k := len(n.Set); {
		case k == 0:
			n.Over = op()
		case r.IntN(3) == 0:
			n.Last = !n.Last
		case r.IntN(2) == 0:
			n.Set = slices.Delete(n.Set, 0, 1)
		default:
			n.Set[r.IntN(k)] = op()
			slices.Sort(n.Set)
		}
		return
	}
	k := r.IntN(len(n.Lines))
	switch r.IntN(5) {
	case 0:
		n.Lines = slices.Delete(n.Lines, k, k+1)
	case 1:
		n.Lines[k].After = !n.Lines[k].After
	case 2:
		n.Lines[k].Op = op()
	case 3:
		n.Lines[k].Other = op()
	default:
		i := r.IntN(len(n.Lines))
		n.Lines[i], n.Lines[k] = n.Lines[k], n.Lines[i]
	}
}

// found returns bounds of all kinds with cuts that are found for a memory.
func found(t *testing.T, r *rand.Rand, m *graph.Memory, optimum int64, order []int) (list []*proof.Bound) {
	f, err := bound.New(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*proof.Bound{f.Cut(t.Context(), order, 0, nil), f.Set(t.Context(), order, 0, nil)} {
		if b != nil {
			list = append(list, b)
		}
	}
	for budget := optimum - f.Unit(); budget >= max(0, optimum-9*f.Unit()); budget -= 4 * f.Unit() {
		p := f.Propagation(order)
		if o, _ := p.Branch(t.Context(), budget, nil, nil); o == bound.Refuted {
			b := p.Bound(t.Context())
			list = append(list, b)
			if n := len(m.Ops); r.IntN(4) == 0 && b.Kind == proof.Precedence { // by cases that are not needed
				a := r.IntN(n)
				list = append(list, &proof.Bound{Kind: proof.Tree, Value: b.Value, Budget: b.Budget, Root: &proof.Node{Cases: &proof.Cases{
					A: a, B: (a + 1 + r.IntN(n-1)) % n, AFirst: b.Clone().Root, BFirst: b.Clone().Root,
				}}})
			}
		}
	}
	return list
}

// The checker accepts all that is found, and of what is changed, what trying
// all sets accepts.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rejected, kept, kinds := 0, 0, map[proof.Kind]int{}
	for rejected+kept < 10000 {
		m := prooftest.Draw(r, 3+r.IntN(6))
		optimum, order := prooftest.Optimum(m)
		j := &judge{m: m}
		for _, b := range found(t, r, m, optimum, order) {
			kinds[b.Kind]++
			if b.Root != nil && len(b.Root.Set) > 0 {
				kinds["precedence to a set"]++
			}
			if err := proof.Check(m, b); err != nil || !j.proves(b) {
				t.Fatalf("found, but not proven (%v): %s", err, b.Text(m))
			}
			for range 6 {
				c := b.Clone()
				mutate(r, c, len(m.Ops))
				err := proof.Check(m, c)
				if (err == nil) != j.proves(c) {
					t.Fatalf("checker: %v, by all sets %v: %s\nof %s\n%+v", err, j.proves(c), c.Text(m), b.Text(m), m)
				}
				if err == nil && c.Value > optimum {
					t.Fatalf("accepted above the optimum %d: %s", optimum, c.Text(m))
				}
				if err == nil {
					kept++
				} else {
					rejected++
				}
			}
		}
	}
	t.Logf("%v found; of their changes %d rejected, %d still true", kinds, rejected, kept)
	if kinds[proof.Tree] == 0 || kinds[proof.Precedence] == 0 || kinds[proof.Set] == 0 || kinds["precedence to a set"] == 0 || rejected < 3000 {
		t.Error("too few")
	}
}
