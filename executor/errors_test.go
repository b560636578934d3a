package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

func TestFromGraphErrors(t *testing.T) {
	build := func() (*tiny, *graph.Lifetimes) {
		m := &tiny{}
		m.s.Inputs = m.tensor("in")
		m.op("CONV_2D in > a")
		m.op("CONV_2D a > b")
		m.s.Outputs = m.tensor("b")
		return m, m.link(t, "plain")
	}
	for _, test := range []struct {
		name string
		edit func(*tiny, *graph.Lifetimes, *graph.Order)
		want string
	}{
		{"other order", func(_ *tiny, _ *graph.Lifetimes, o *graph.Order) { o.Ops[0], o.Ops[1] = 1, 0 },
			"operator 0 at step 0 of the table is not that of the order"},
		{"operator missing", func(_ *tiny, lt *graph.Lifetimes, o *graph.Order) { lt.Steps, o.Ops = lt.Steps[:1], o.Ops[:1] },
			"table has steps for 1 operators"},
		{"no such operator", func(_ *tiny, lt *graph.Lifetimes, o *graph.Order) { lt.Steps[1].Op, o.Ops[1] = 7, 7 },
			"operator 7 at step 1 of the table is out of range"},
		{"no such tensor", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Refs[0].Tensors[0].Tensor = 9 },
			"buffer 0 holds tensor 9 of 3"},
		{"too small", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Table.Buffers[1].Size = 15 },
			`tensor 1 "a" of 16 bytes does not fit into buffer 1 of 15 bytes`},
		{"twice", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Refs[1] = lt.Refs[0] },
			`tensor 0 "in" is in buffers 0 and 1`},
		{"references", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Refs = lt.Refs[:1] },
			"1 references for 3 buffers"},
		{"not linked", func(m *tiny, _ *graph.Lifetimes, _ *graph.Order) { m.s.Producer = nil },
			"subgraph is not linked"},
		{"never written", func(m *tiny, _ *graph.Lifetimes, _ *graph.Order) { m.s.Inputs = nil },
			`operator 0 CONV_2D reads tensor 0 "in" at step 0 before anything writes it`},
		{"born late", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) {
			lt.Table.Buffers = append(lt.Table.Buffers, lifetime.Buffer{Name: "late", Size: 1, Lower: 2, Upper: 3})
			lt.Refs = append(lt.Refs, graph.Ref{})
		}, `buffer 3 "late" is born at step 2 of 2`},
		{"dies early", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Table.Buffers[1].Upper = 1 },
			`operator 1 CONV_2D accesses tensor 1 "a" at step 1, but buffer 1 lives in [0, 1) without it`},
		{"in a whole gap", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) {
			lt.Table.Buffers[1].Gaps = []lifetime.Gap{{Lower: 1, Upper: 2}}
		}, `operator 1 CONV_2D accesses tensor 1 "a" at step 1, but buffer 1 lives in [0, 2) without it`},
		{"no step", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) { lt.Steps[0].Op = -3 },
			"step 0 of the table is neither an operator nor the caller: -3"},
		{"in a gap", func(_ *tiny, lt *graph.Lifetimes, _ *graph.Order) {
			lt.Table.Buffers[1].Gaps = []lifetime.Gap{{Lower: 1, Upper: 2, Keep: window(0, 15)}}
		}, `operator 1 CONV_2D accesses tensor 1 "a" at step 1, but buffer 1 lives in [0, 2) without it`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, lt := build()
			o := graph.Stored(&m.s)
			test.edit(m, lt, &o)
			_, err := FromGraph(&m.s, o, lt)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestGapsOfGraphs: a table may give up bytes between two uses of a buffer.
func TestGapsOfGraphs(t *testing.T) {
	m := &tiny{}
	m.s.Inputs = m.tensor("in")
	m.op("CONV_2D in > a")
	m.op("CONV_2D a > b")
	m.op("CONV_2D b > c")
	m.op("CONV_2D a c > d")
	m.s.Outputs = m.tensor("d")
	lt := m.link(t, "plain")
	a := slices.IndexFunc(lt.Table.Buffers, func(b lifetime.Buffer) bool { return b.Name == "a" })
	at := map[string]int64{"in": 0, "a": 16, "b": 32, "c": 16, "d": 32}
	lt.Table.Buffers[a].Gaps = []lifetime.Gap{{Lower: 2, Upper: 3}}
	// The values that a loses in the gap are read at step 3: the table is
	// wrong, although its lives cover all accesses.
	want := `operator 3 CONV_2D reads tensor 1 "a": byte 16 of the arena was overwritten by operator 2 CONV_2D writing tensor 3 "c"`
	if got := validate(t, m, lt, at); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// If nobody reads them after the gap, they are no longer promised.
	m.s.Ops[3].Inputs = m.tensor("c")
	if got := validate(t, m, lt, at); got != "" {
		t.Error(got)
	}
}

// TestEngines: what real memory says against the labels is an error.
func TestEngines(t *testing.T) {
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{{Name: "a", Size: 8, Upper: 2}}}
	p := FromTable(tab)
	p.accesses[0].again = true // the write is left out in real memory
	_, err := p.Validate(context.Background(), lifetime.NewPlan(tab, []int64{3}), Options{})
	want := `real memory and labels disagree: buffer 0 "a" is wrong at step 1, byte 3 of the arena`
	if !errors.Is(err, ErrEngines) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBadPlans(t *testing.T) {
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "a", Size: 8, Upper: 2}, {Name: "b", Size: 8, Lower: 2, Upper: 3},
	}}
	p := FromTable(tab)
	for _, test := range []struct {
		plan lifetime.Plan
		want string
	}{
		{lifetime.Plan{Offsets: []int64{0}, Arena: 8}, "plan has 1 offsets for 2 buffers"},
		{lifetime.Plan{Offsets: []int64{0, -1}, Arena: 8}, `buffer 1 "b" of 8 bytes at offset -1 is outside the arena of 8 bytes`},
		{lifetime.Plan{Offsets: []int64{0, 1}, Arena: 8}, `buffer 1 "b" of 8 bytes at offset 1 is outside the arena of 8 bytes`},
		{lifetime.Plan{Offsets: []int64{0, math.MaxInt64}, Arena: 8}, `buffer 1 "b" of 8 bytes at offset 9223372036854775807 is outside the arena of 8 bytes`},
		{lifetime.Plan{Offsets: []int64{0, 0}, Arena: -1}, `buffer 0 "a" of 8 bytes at offset 0 is outside the arena of -1 bytes`},
	} {
		_, err := p.Validate(context.Background(), &test.plan, Options{})
		if err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{{Name: "a", Size: 8, Upper: 2}}}
	if _, err := FromTable(tab).Validate(ctx, lifetime.NewPlan(tab, []int64{0}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestResult(t *testing.T) {
	tab := &lifetime.Table{Buffers: []lifetime.Buffer{{Name: "a", Size: 1000, Upper: 2}}}
	p, plan := FromTable(tab), lifetime.NewPlan(tab, []int64{24})
	m := &Memory{}
	for _, test := range []struct {
		limit int64
		want  Result
	}{
		{0, Result{Engine: "symbolic", Steps: 2, Accesses: 2, RealRuns: 2, Bytes: 4000}},
		{1024, Result{Engine: "symbolic", Steps: 2, Accesses: 2, RealRuns: 2, Bytes: 4000}},
		{1023, Result{Engine: "symbolic", Steps: 2, Accesses: 2, RealRuns: 0, Bytes: 0}},
		{-1, Result{Engine: "symbolic", Steps: 2, Accesses: 2, RealRuns: 0, Bytes: 0}},
	} {
		got, err := p.Validate(context.Background(), plan, Options{MaxArena: test.limit, Memory: m})
		if err != nil || *got != test.want {
			t.Errorf("limit %d: got %+v, %v, want %+v", test.limit, got, err, test.want)
		}
	}
}

func TestPurposesPrint(t *testing.T) {
	if got := fmt.Sprint(Input, Own, Promise, Purpose(9)); got != "input own promise purpose(9)" {
		t.Errorf("purposes: %s", got)
	}
}
