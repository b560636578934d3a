package executor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// place is the lowest offset for each buffer in turn, as tests need a planner
// and this package may not import one.
func place(t *lifetime.Table) []int64 {
	offsets := make([]int64, len(t.Buffers))
	for i := range t.Buffers {
		b := &t.Buffers[i]
		clash := func(off int64) (end int64, found bool) {
			for j := range i {
				c := &t.Buffers[j]
				if b.Size > 0 && c.Size > 0 && b.Overlaps(c) && off < offsets[j]+c.Size && offsets[j] < off+b.Size {
					return offsets[j] + c.Size, true
				}
			}
			return 0, false
		}
		for {
			end, found := clash(offsets[i])
			if !found {
				break
			}
			offsets[i] = lifetime.AlignUp(end, b.Alignment())
		}
	}
	return offsets
}

// verdicts runs a program in both memories and makes sure that they agree, the
// one in real bytes with so many keys that chance plays no role.
func verdicts(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Program, plan *lifetime.Plan) *Clobbered {
	t.Helper()
	ctx := context.Background()
	var l labels
	f, err := l.run(ctx, p, plan.Offsets)
	if err != nil {
		t.Fatalf("labels: %v", err)
	}
	mem := make([]byte, plan.Arena)
	wrong := false
	for i := range 9 {
		r := run{byte(31 * i), mix(uint64(i), 99)}
		g, err := r.exec(ctx, p, plan.Offsets, mem)
		if err != nil {
			t.Fatalf("bytes: %v", err)
		}
		wrong = wrong || g != nil
	}
	if wrong != (f != nil) {
		t.Fatalf("wrong byte in real memory: %v, with labels: %v", wrong, f)
	}
	_, err = p.Validate(ctx, plan, Options{})
	if f == nil {
		if err != nil {
			t.Fatalf("both memories agree, but Validate returns %v", err)
		}
		return nil
	}
	var c *Clobbered
	if !errors.As(err, &c) {
		t.Fatalf("got %v, want a *Clobbered", err)
	}
	return c
}

// randomTable draws a valid table with gaps and windows.
func randomTable(t *rapid.T) *lifetime.Table {
	tab := &lifetime.Table{Name: "random"}
	for range rapid.IntRange(0, 7).Draw(t, "buffers") {
		lower := rapid.Int64Range(-3, 12).Draw(t, "lower")
		b := lifetime.Buffer{
			Name: string(rune('a' + len(tab.Buffers))), Lower: lower,
			Upper: lower + rapid.Int64Range(1, 12).Draw(t, "life"),
			Size:  rapid.Int64Range(0, 12).Draw(t, "size"),
		}
		at := b.Lower
		for range rapid.IntRange(0, 3).Draw(t, "gaps") {
			g := lifetime.Gap{Lower: at + rapid.Int64Range(0, 2).Draw(t, "gap")}
			g.Upper = g.Lower + rapid.Int64Range(1, 3).Draw(t, "gap length")
			if g.Upper > b.Upper {
				break
			}
			if b.Size > 0 && rapid.Bool().Draw(t, "window") {
				low := rapid.Int64Range(0, b.Size-1).Draw(t, "window lower")
				g.Keep = &lifetime.Window{Lower: low, Upper: rapid.Int64Range(low+1, b.Size).Draw(t, "window upper")}
			}
			b.Gaps = append(b.Gaps, g)
			at = g.Upper
		}
		tab.Buffers = append(tab.Buffers, b)
	}
	if err := tab.Validate(); err != nil {
		t.Fatalf("invalid table: %v", err)
	}
	return tab
}

// occupant returns whether byte x of a buffer is taken at a step, straight
// from the meaning of gaps.
func occupant(b *lifetime.Buffer, x, step int64) bool {
	if step < b.Lower || step >= b.Upper || x < 0 || x >= b.Size {
		return false
	}
	for _, g := range b.Gaps {
		if step >= g.Lower && step < g.Upper {
			return g.Keep != nil && x >= g.Keep.Lower && x < g.Keep.Upper
		}
	}
	return true
}

// clashes reports whether two buffers want the same byte at the same step.
func clashes(tab *lifetime.Table, plan *lifetime.Plan) bool {
	lower, upper := tab.Span()
	for step := lower; step < upper; step++ {
		for x := range plan.Arena {
			n := 0
			for i := range tab.Buffers {
				if occupant(&tab.Buffers[i], x-plan.Offsets[i], step) {
					n++
				}
			}
			if n > 1 {
				return true
			}
		}
	}
	return false
}

func TestTableProgramFindsEveryOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := randomTable(t)
		offsets := place(tab)
		for i := range offsets {
			if rapid.IntRange(0, 2).Draw(t, "move") == 0 {
				offsets[i] = max(0, offsets[i]-rapid.Int64Range(-2, 8).Draw(t, "by"))
			}
		}
		plan := lifetime.NewPlan(tab, offsets)
		p := FromTable(tab)
		c := verdicts(t, p, plan)
		if want := clashes(tab, plan); want != (c != nil) {
			t.Fatalf("unsafe: %v, but the run says %v", want, c)
		}
		var overlap *lifetime.OverlapError
		if found := errors.As(lifetime.Check(tab, plan), &overlap); found != (c != nil) {
			t.Fatalf("lifetime.Check finds an overlap: %v, the run: %v", found, c)
		}
		if c == nil {
			return
		}
		// Both parties must hold the byte, at a step when both live.
		r, w := &tab.Buffers[c.Reader.Buffer], &tab.Buffers[c.Writer.Buffer]
		if !occupant(r, c.Offset-offsets[c.Reader.Buffer], c.Writer.Step) ||
			!occupant(w, c.Offset-offsets[c.Writer.Buffer], c.Writer.Step) || c.Reader.Step < c.Writer.Step {
			t.Fatalf("%v: is not where both live", c)
		}
	})
}

func window(low, high int64) *lifetime.Window { return &lifetime.Window{Lower: low, Upper: high} }

func TestGaps(t *testing.T) {
	// Buffer a is away in the steps [4, 6), but for its bytes [2, 4).
	a := lifetime.Buffer{Name: "a", Size: 8, Lower: 0, Upper: 10, Gaps: []lifetime.Gap{{Lower: 4, Upper: 6, Keep: window(2, 4)}}}
	guest := func(size, lower, upper int64) lifetime.Buffer {
		return lifetime.Buffer{Name: "guest", Size: size, Lower: lower, Upper: upper}
	}
	for _, test := range []struct {
		name   string
		guest  lifetime.Buffer
		offset int64
		want   string
	}{
		{"in the gap, beside the window", guest(2, 4, 6), 0, ""},
		{"in the gap, behind the window", guest(4, 4, 6), 4, ""},
		{"on the window", guest(2, 4, 6), 1, `"a" lives at step 4: byte 2 of the arena was overwritten by buffer 1 "guest" at step 4`},
		{"before the gap", guest(2, 3, 6), 0, `"a" lives at step 3: byte 0 of the arena was overwritten by buffer 1 "guest" at step 3`},
		{"beyond the gap", guest(2, 4, 7), 0, `"guest" lives at step 6: byte 0 of the arena was overwritten by buffer 0 "a" at step 6`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := &lifetime.Table{Buffers: []lifetime.Buffer{a, test.guest}}
			c := verdicts(t, FromTable(tab), lifetime.NewPlan(tab, []int64{0, test.offset}))
			if got := message(c); !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func message(c *Clobbered) string {
	if c == nil {
		return ""
	}
	return c.Error()
}

// TestTableSteps pins what a table's program does, gaps included.
func TestTableSteps(t *testing.T) {
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "a", Size: 8, Lower: 0, Upper: 10, Gaps: []lifetime.Gap{{Lower: 4, Upper: 6, Keep: window(2, 4)}}},
		{Name: "empty", Lower: 0, Upper: 5},
		{Name: "b", Size: 3, Lower: 4, Upper: 5},
	}}
	p := FromTable(tab)
	type op struct {
		Time      int64
		What      string
		Buffer    int32
		Low, High int64
	}
	var got []op
	for _, st := range p.steps {
		for i := st.pre; i < st.end; i++ {
			a, what := p.accesses[i], "read"
			if st.write <= i && i < st.post {
				what = "write"
			}
			got = append(got, op{st.time, what, p.values[a.value].buffer, a.low, a.high})
		}
	}
	want := []op{
		{0, "write", 0, 0, 8},
		{1, "read", 0, 0, 2}, {1, "read", 0, 4, 8}, // half way to the gap
		{3, "read", 0, 0, 2}, {3, "read", 0, 4, 8}, // last seen before the gap
		{4, "write", 2, 0, 3},
		{4, "read", 0, 2, 4}, {4, "read", 2, 0, 3}, // half way of the window
		{6, "write", 0, 0, 2}, {6, "write", 0, 4, 8}, // back, with new content
		{7, "read", 0, 0, 2}, {7, "read", 0, 4, 8},
		{9, "read", 0, 0, 2}, {9, "read", 0, 2, 4}, {9, "read", 0, 4, 8},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if p.Steps() != 7 || p.Operators() != 0 || p.Bytes() != 8+6+6+3+5+6+6+8 {
		t.Errorf("%d steps, %d operators, %d bytes", p.Steps(), p.Operators(), p.Bytes())
	}
}
