package exact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"pgregory.net/rapid"
)

// state is all that a search may depend on, in a form that does not know in
// which order it came about.
func (e *engine) state() string {
	var sections, waiting []string
	for s := range int32(e.p.m) {
		list := slices.SortedFunc(slices.Values(slices.Clone(e.members(s))), func(x, y member) int { return int(x.buffer - y.buffer) })
		sections = append(sections, fmt.Sprint(list, e.rest[s], e.low[s], e.lowArg[s], e.next[s], e.nextArg[s], e.cross[s]))
	}
	for _, b := range slices.Sorted(slices.Values(e.waiting)) {
		waiting = append(waiting, fmt.Sprint(b, e.waitAt[b] >= 0))
	}
	return fmt.Sprint(e.r, e.base, e.placed, e.left, sections, waiting)
}

// TestLoad: placing buffers in a state that was saved, left and loaded again
// comes to what it came to before. Without that the children that a beam lists
// are not those that it makes.
func TestLoad(t *testing.T) {
	failures := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		table := tiling(r, rapid.IntRange(8, 60).Draw(t, "n"))
		if rapid.Bool().Draw(t, "small") {
			table = random(r, shape{pins: r.IntN(2) == 0, gaps: r.IntN(2) == 0, aligns: r.IntN(2) == 0})
		}
		ps, err := split(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ps.list {
			b := newBeam(p, 1, nil)
			e := b.e
			e.setOrder(pick(r, beamKeys[:]...), b.jitter(nil, 0.3))
			if !e.start(p.base + p.peak()*p.unit + r.Int64N(3)*p.unit) {
				continue
			}
			type child struct {
				of     *snapshot
				buffer int32
				placed bool
				state  string
			}
			var children []child
			saved := []*snapshot{b.save(0)}
			for range 40 {
				x := saved[r.IntN(len(saved))]
				b.load(x)
				for range 1 + r.IntN(4) { // several children, as in a beam
					if e.left == 0 {
						break
					}
					c := int32(r.IntN(p.n))
					if e.placed[c] {
						continue
					}
					c = e.descend(c)
					mark := len(e.trail)
					k := child{of: x, buffer: c, placed: e.place(c)}
					if k.placed {
						k.state = e.state()
						saved = append(saved, b.save(0))
					} else {
						failures++
					}
					children = append(children, k)
					e.undo(mark)
				}
			}
			r.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
			for _, k := range children {
				b.load(k.of)
				if placed := e.place(k.buffer); placed != k.placed {
					t.Fatalf("placing %d: %t, was %t", k.buffer, placed, k.placed)
				} else if placed && e.state() != k.state {
					t.Fatalf("placing %d leads to\n%s, was\n%s", k.buffer, e.state(), k.state)
				}
			}
		}
	})
	if failures == 0 {
		t.Error("all that was placed fitted: the test does not tell")
	}
}

// TestBreed: of the children that are listed each can be made. The table is one
// of those on which beams fail most.
func TestBreed(t *testing.T) {
	list := datasets.Graded()
	at := slices.IndexFunc(list, func(g datasets.GradedTable) bool { return g.Name == "tight-52" })
	made, _ := list[at].Build()
	ps, err := split(made.Table)
	if err != nil {
		t.Fatal(err)
	}
	p := ps.list[0]
	b := newBeam(p, 1, nil)
	depths := 0
	for range 20 {
		s := b.draw()
		b.e.eps, b.e.rule, b.e.probes = s.eps, s.rule, 4
		b.e.setOrder(s.key, s.factors)
		if !b.e.start(list[at].Peak) {
			t.Fatal("the root fails")
		}
		b.then = append(b.then, b.save(0))
		for {
			b.now, b.then = b.then, b.now
			if out := b.expand(&s); out != open || len(b.kids) == 0 {
				break
			}
			b.drop(&b.then)
			if b.breed(); len(b.then) != len(b.kids) {
				t.Fatalf("%d of %d children", len(b.then), len(b.kids))
			}
			depths++
		}
		b.release()
	}
	if depths < 100 {
		t.Errorf("only %d depths: the test does not tell", depths)
	}
}
