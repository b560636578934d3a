package bench_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMetrics(t *testing.T) {
	// Two of 30 and 50 bytes meet at step 1: the bound is 80.
	in := tableInput("three", table([3]int64{0, 2, 30}, [3]int64{1, 3, 50}, [3]int64{2, 4, 20}))
	cells := run(t, sizeOnly(lowestFit, stackUp), in)
	if len(cells) != 2 {
		t.Fatalf("%d cells, want 2", len(cells))
	}
	want := bench.Record{
		Schema: 1, Tool: "test", Model: "three", Path: "three.csv", Hash: "hash of three",
		Source: "table", Profile: "table", Order: "given", Strategy: "lowest",
		Status: lifetime.Optimal, Buffers: 3, ArenaBytes: 80, LowerBoundBytes: 80,
		BoundKind: lifetime.BoundLoad, BoundStep: 1, PeakLiveBytes: 80, NaiveBytes: 100,
		Bound: &lifetime.Bound{Value: 80, Kind: lifetime.BoundLoad, Step: 1, Buffers: []int{0, 1}},
		Reuse: 0.2, PlanReps: 1, Validated: "symbolic",
	}
	ignore := cmpopts.IgnoreFields(bench.Record{}, "Host", "PlanNS", "PlanNSLow", "PlanNSHigh", "Samples", "OrderNS")
	near := cmpopts.EquateApprox(0, 1e-9)
	if d := cmp.Diff(want, cells[0].Record, ignore, near); d != "" {
		t.Errorf("lowest (-want +got):\n%s", d)
	}
	want.Strategy, want.Status, want.ArenaBytes = "stack", lifetime.Feasible, 100
	want.Gap, want.Fragmentation, want.Reuse = 0.25, 0.2, 0
	if d := cmp.Diff(want, cells[1].Record, ignore, near); d != "" {
		t.Errorf("stack (-want +got):\n%s", d)
	}
	c := cells[0]
	if c.PlanNS <= 0 || c.PlanNSLow != c.PlanNS || c.PlanNSHigh != c.PlanNS {
		t.Errorf("planning time %v [%v, %v], want one positive sample", c.PlanNS, c.PlanNSLow, c.PlanNSHigh)
	}
	if c.Host.Go == "" || c.Host.Cores < 1 {
		t.Errorf("host %+v", c.Host)
	}
	if c.Plan == nil || c.Bound == nil || c.Table == nil {
		t.Error("a cell lacks plan, bound or table")
	}
}

func TestFailuresAreRecords(t *testing.T) {
	tests := []struct {
		strategy strategies.Strategy
		status   lifetime.Status
		text     string // in the error
	}{
		{erring, lifetime.Failed, "no luck"},
		{panicking, lifetime.Failed, "panic: 4 buffers are too many"},
		{silent, lifetime.Failed, "neither a plan nor an error"},
		{unsafe, lifetime.Failed, `unsafe plan: buffers 0 "b0" and 1 "b1" share bytes`},
		{slow, lifetime.Timeout, "no plan within 20ms"},
		{deaf(t), lifetime.Timeout, "was abandoned"},
		{fake{"short", func(context.Context, *lifetime.Table) (*lifetime.Plan, error) {
			return &lifetime.Plan{}, nil
		}}, lifetime.Failed, "0 offsets for 4 buffers"},
		{fake{"quitter", func(context.Context, *lifetime.Table) (*lifetime.Plan, error) {
			return &lifetime.Plan{Status: lifetime.Infeasible}, nil
		}}, lifetime.Infeasible, "infeasible"},
	}
	for _, test := range tests {
		name := test.strategy.Info().Name
		t.Run(name, func(t *testing.T) {
			cells := run(t, sizeOnly(stackUp, test.strategy, lowestFit), tableInput("t", staircase(4)))
			if len(cells) != 3 {
				t.Fatalf("%d cells, want 3", len(cells))
			}
			if !cells[0].Safe() || !cells[2].Safe() {
				t.Errorf("the strategies beside it: %q, %q", cells[0].Error, cells[2].Error)
			}
			c := cells[1]
			if c.Strategy != name || c.Status != test.status || !strings.Contains(c.Error, test.text) {
				t.Errorf("got %s %v %q, want %v with %q", c.Strategy, c.Status, c.Error, test.status, test.text)
			}
			if c.Safe() || c.ArenaBytes != 0 || c.Validated != "" {
				t.Errorf("a failed cell has an arena of %d bytes, validated by %q", c.ArenaBytes, c.Validated)
			}
			if c.LowerBoundBytes == 0 || c.Buffers != 4 {
				t.Errorf("a failed cell lacks what is known of its table: %+v", c.Record)
			}
			if got := len(c.Stack) > 0; got != (name == "panicking") {
				t.Errorf("stack of %d bytes", len(c.Stack))
			}
		})
	}
}

// A strategy that scribbles over its table must not harm the next one.
func TestTableIsProtected(t *testing.T) {
	vandal := fake{"vandal", func(ctx context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		p, err := stack(ctx, t)
		for i := range t.Buffers {
			t.Buffers[i].Size, *t.Buffers[i].Hint, t.Buffers[i].Gaps[0].Keep.Upper = 0, 3, 9
		}
		return p, err
	}}
	make := func() *lifetime.Table {
		hint := int64(1)
		return &lifetime.Table{Name: "t", Buffers: []lifetime.Buffer{{Name: "a", Size: 10, Lower: 0, Upper: 4, Hint: &hint,
			Gaps: []lifetime.Gap{{Lower: 1, Upper: 2, Keep: &lifetime.Window{Lower: 1, Upper: 2}}}}}}
	}
	in := tableInput("t", make())
	cells := run(t, sizeOnly(vandal, lowestFit), in)
	if d := cmp.Diff(make(), in.Table); d != "" {
		t.Errorf("the table changed (-want +got):\n%s", d)
	}
	if !cells[1].Safe() || cells[1].ArenaBytes != 10 {
		t.Errorf("arena of %d bytes, %q", cells[1].ArenaBytes, cells[1].Error)
	}
}

func TestClaimsAreChecked(t *testing.T) {
	claim := func(change func(t *lifetime.Table, p *lifetime.Plan)) fake {
		return fake{"claims", func(ctx context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
			p, err := stack(ctx, t)
			change(t, p)
			return p, err
		}}
	}
	// 100 and 107 bytes meet, then 107 and 114: the bound is 221, the stack 321.
	in := func() datasets.Input { return tableInput("t", staircase(3)) }
	tests := []struct {
		name    string
		change  func(t *lifetime.Table, p *lifetime.Plan)
		warning string
	}{
		{"optimal without proof", func(_ *lifetime.Table, p *lifetime.Plan) { p.Status = lifetime.Optimal },
			"without a bound that can be checked"},
		{"false bound", func(_ *lifetime.Table, p *lifetime.Plan) {
			p.Bound = &lifetime.Bound{Value: 321, Kind: lifetime.BoundLoad, Step: 1, Buffers: []int{0, 1}}
			p.LowerBound, p.Status = 321, lifetime.Optimal
		}, "bound not proven"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := run(t, sizeOnly(claim(test.change)), in())[0]
			if c.Status != lifetime.Feasible || c.LowerBoundBytes != 221 {
				t.Errorf("%v with bound %d, want feasible with 221", c.Status, c.LowerBoundBytes)
			}
			if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, test.warning) }) {
				t.Errorf("warnings %q lack %q", c.Warnings, test.warning)
			}
		})
	}
}

// The best proven bound of all strategies is that of every cell of the unit,
// also of those that ran before.
func TestBoundIsShared(t *testing.T) {
	fixed := int64(400)
	tab := table([3]int64{0, 2, 30}, [3]int64{3, 5, 50})
	tab.Buffers[1].Fixed = &fixed
	best := fake{"prover", func(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		p := lifetime.NewPlan(t, []int64{0, 400})
		p.Bound = &lifetime.Bound{Value: 450, Kind: lifetime.BoundFixed, Buffers: []int{1}}
		return p, nil
	}}
	before := fake{"before", func(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		return lifetime.NewPlan(t, []int64{512, 400}), nil
	}}
	cells := run(t, sizeOnly(before, best), tableInput("t", tab))
	if c := cells[0]; c.LowerBoundBytes != 450 || c.Status != lifetime.Feasible {
		t.Errorf("before: bound %d, %v %s", c.LowerBoundBytes, c.Status, c.Error)
	}
	if c := cells[1]; c.LowerBoundBytes != 450 || c.Status != lifetime.Optimal || c.BoundKind != lifetime.BoundFixed {
		t.Errorf("prover: bound %d %s, %v %s", c.LowerBoundBytes, c.BoundKind, c.Status, c.Error)
	}
}

func TestModels(t *testing.T) {
	cfg := sizeOnly(stackUp, lowestFit)
	aligned := graph.Profile{Name: "aligned", Align: 128, RoundSizes: 1}
	cfg.Profiles = append(cfg.Profiles, aligned)
	m := modelInput("m", chain(t, 0, 3), chain(t, 1, 2), &graph.Subgraph{Index: 2})
	var got []string
	for _, c := range run(t, cfg, m) {
		if !c.Safe() || c.Validated != "symbolic" {
			t.Errorf("%s %s: %v %s", c.Record.Model, c.Strategy, c.Status, c.Error)
		}
		if c.Subgraph == nil || c.Lifetimes == nil || c.Model != m.Model {
			t.Errorf("cell %s lacks its subgraph", c.Record.Model)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s ops=%d arena=%d", c.Record.Model, c.Order.Name, c.Profile, c.Strategy, c.Operators, c.ArenaBytes))
	}
	want := []string{
		"m stored plain stack ops=3 arena=256",
		"m stored plain lowest ops=3 arena=128",
		"m stored aligned stack ops=3 arena=448",
		"m stored aligned lowest ops=3 arena=192",
		"m#1 stored plain stack ops=2 arena=192",
		"m#1 stored plain lowest ops=2 arena=128",
		"m#1 stored aligned stack ops=2 arena=320",
		"m#1 stored aligned lowest ops=2 arena=192",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
}

// The main subgraph is planned even if there is nothing to place; others are
// left out.
func TestNothingToPlace(t *testing.T) {
	empty := func(i int) *graph.Subgraph {
		s := &graph.Subgraph{Index: i}
		if err := s.Link(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	cells := run(t, sizeOnly(stackUp, lowestFit), modelInput("m", empty(0), empty(1)))
	if len(cells) != 2 {
		t.Fatalf("%d cells, want 2", len(cells))
	}
	for _, c := range cells {
		if c.Status != lifetime.Optimal || c.ArenaBytes != 0 || c.Gap != 0 || c.Fragmentation != 0 || c.Reuse != 0 {
			t.Errorf("%s: %+v", c.Strategy, c.Record)
		}
	}
}

func TestUnitsThatCannotBePlanned(t *testing.T) {
	invalid := tableInput("invalid", table([3]int64{5, 5, 10}))
	broken := datasets.Input{Name: "broken", Path: "broken.tflite", Hash: "h", Err: errors.New("broken.tflite: not a model")}
	hollow := modelInput("hollow")
	cfg := sizeOnly(stackUp, lowestFit)
	cfg.Orders = []reorder.Reorderer{brokenOrder{}, storedOrder{}}
	cells := run(t, cfg, broken, invalid, hollow, modelInput("m", chain(t, 0, 3)))
	var got []string
	for _, c := range cells {
		got = append(got, fmt.Sprintf("%s %s %q %v", c.Record.Model, c.Record.Order, c.Strategy, c.Status))
		if c.Status == lifetime.Failed && c.Error == "" {
			t.Errorf("%s fails without a reason", c.Record.Model)
		}
	}
	want := []string{
		`broken  "" error`,
		`invalid given "" error`,
		`hollow  "" error`,
		`m backwards "" error`,
		`m stored "stack" feasible`,
		`m stored "lowest" optimal`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
	if e := cells[3].Error; !strings.Contains(e, "m.tflite: subgraph 0") || !strings.Contains(e, "runs before") {
		t.Errorf("error %q names neither file nor fault", e)
	}
}

func TestAlignOverride(t *testing.T) {
	cfg := sizeOnly(lowestFit)
	cfg.Align = 64
	c := run(t, cfg, tableInput("t", table([3]int64{0, 2, 10}, [3]int64{0, 2, 10})))[0]
	if c.ArenaBytes != 74 || c.Align != 64 || !c.Safe() {
		t.Errorf("arena of %d bytes at alignment %d: %s", c.ArenaBytes, c.Align, c.Error)
	}
}

// Whatever the number of workers, the records are the same but for times.
func TestWorkersDoNotMatter(t *testing.T) {
	var inputs []datasets.Input
	for i := range 20 {
		inputs = append(inputs, tableInput(fmt.Sprintf("t%d", i), staircase(3+17*(i%7))))
		inputs = append(inputs, modelInput(fmt.Sprintf("m%d", i), chain(t, 0, 2+i%4), chain(t, 1, 2)))
	}
	inputs = append(inputs, datasets.Input{Name: "broken", Err: errors.New("broken")})
	records := func(workers int) []bench.Record {
		cfg := sizeOnly(stackUp, panicking, lowestFit, unsafe)
		cfg.Timeout, cfg.Workers = 0, workers
		var recs []bench.Record
		for _, c := range run(t, cfg, inputs...) {
			recs = append(recs, c.Record)
		}
		return recs
	}
	one, four := records(1), records(4)
	if len(one) != 20*4+40*4+1 {
		t.Errorf("%d records", len(one))
	}
	ignore := cmpopts.IgnoreFields(bench.Record{}, "PlanNS", "PlanNSLow", "PlanNSHigh", "Samples", "OrderNS")
	if d := cmp.Diff(one, four, ignore); d != "" {
		t.Errorf("1 and 4 workers differ (-1 +4):\n%s", d)
	}
}

func TestRepetitions(t *testing.T) {
	in := tableInput("t", staircase(30))
	cfg := sizeOnly(lowestFit)
	cfg.Timeout = 0
	for _, test := range []struct {
		reps     int
		min, max int
		warned   bool
	}{
		{reps: 1, min: 1, max: 1},
		{reps: 3, min: 3, max: 3, warned: true},
		{reps: 12, min: 12, max: 12},
		{reps: 0, min: 6, max: 100},
	} {
		cfg.Reps = test.reps
		c := run(t, cfg, in)[0]
		if c.PlanReps < test.min || c.PlanReps > test.max {
			t.Errorf("reps %d: %d samples, want %d to %d", test.reps, c.PlanReps, test.min, test.max)
		}
		if c.PlanNS <= 0 || c.PlanNSLow > c.PlanNS || c.PlanNS > c.PlanNSHigh {
			t.Errorf("reps %d: median %v outside [%v, %v]", test.reps, c.PlanNS, c.PlanNSLow, c.PlanNSHigh)
		}
		if got := len(c.Warnings) > 0; got != test.warned {
			t.Errorf("reps %d: warnings %q", test.reps, c.Warnings)
		}
	}
}

func TestNondeterminismIsReported(t *testing.T) {
	calls := int64(0)
	moody := fake{"moody", func(ctx context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		p, _ := stack(ctx, t)
		calls++
		p.Offsets[len(p.Offsets)-1] += calls
		p.Arena += calls
		return p, nil
	}}
	cfg := sizeOnly(moody)
	cfg.Reps = 4
	c := run(t, cfg, tableInput("t", staircase(4)))[0]
	if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "not deterministic") }) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			waiting := fake{"waiting", func(ctx context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
				if t.Name != "t3" {
					return stack(ctx, t)
				}
				cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			cfg := sizeOnly(stackUp, waiting)
			cfg.Workers, cfg.Timeout, cfg.Grace = workers, 0, time.Minute
			var inputs []datasets.Input
			for i := range 100 {
				inputs = append(inputs, tableInput(fmt.Sprintf("t%d", i), staircase(4)))
			}
			var got []string
			err := bench.Run(ctx, cfg, seq(inputs...), func(c *bench.Cell) error {
				got = append(got, c.Record.Model+" "+c.Strategy)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that of the context", err)
			}
			if len(got) > 60 {
				t.Errorf("%d cells after the run was cancelled at the eighth", len(got))
			}
			if workers == 1 {
				want := []string{"t0 stack", "t0 waiting", "t1 stack", "t1 waiting", "t2 stack", "t2 waiting", "t3 stack"}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("what was finished (-want +got):\n%s", d)
				}
			}
		})
	}
}

// A strategy that does not listen cannot keep a cancelled run from ending.
func TestCancelDeaf(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := sizeOnly(stackUp, deaf(t))
	cfg.Timeout = 0
	cfg.Progress = func(p bench.Progress) {
		if p.Strategy == "deaf" {
			cancel()
		}
	}
	var got []string
	err := bench.Run(ctx, cfg, seq(tableInput("a", staircase(3)), tableInput("b", staircase(3))), func(c *bench.Cell) error {
		got = append(got, c.Strategy)
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(got) != 1 || got[0] != "stack" {
		t.Errorf("cells %q, error %v", got, err)
	}
}

func TestDefaults(t *testing.T) {
	cells := run(t, bench.Config{Strategies: []strategies.Strategy{lowestFit}}, modelInput("m", chain(t, 0, 3)))
	if len(cells) != 1 {
		t.Fatalf("%d cells, want 1", len(cells))
	}
	c := cells[0]
	if c.Record.Order != "stored" || c.Profile != "litert" || !c.Safe() || c.PlanReps < 6 {
		t.Errorf("%+v", c.Record)
	}
}

func TestYieldErrorEndsRun(t *testing.T) {
	full := errors.New("disk full")
	for _, workers := range []int{1, 4} {
		cfg := sizeOnly(stackUp)
		cfg.Workers = workers
		n := 0
		err := bench.Run(context.Background(), cfg, seq(tableInput("a", staircase(3)), tableInput("b", staircase(3))), func(*bench.Cell) error {
			n++
			return full
		})
		if !errors.Is(err, full) || n != 1 {
			t.Errorf("%d workers: error %v after %d cells, want %v after 1", workers, err, n, full)
		}
	}
}

func TestProgress(t *testing.T) {
	cfg := sizeOnly(stackUp, lowestFit)
	cfg.Inputs = 3
	var seen []bench.Progress
	cfg.Progress = func(p bench.Progress) { seen = append(seen, p) }
	run(t, cfg, tableInput("a", staircase(3)), modelInput("m", chain(t, 0, 2), chain(t, 1, 2)),
		datasets.Input{Name: "broken", Err: errors.New("broken")})
	last := seen[len(seen)-1]
	if last.Done != 8 || last.Total != 8 {
		t.Errorf("ends at %d of %d cells, want 8 of 8", last.Done, last.Total)
	}
	if first := seen[0]; first.Model != "a" || first.Strategy != "stack" || first.Done != 0 || first.Total != 6 {
		t.Errorf("begins with %+v", first)
	}
	for i := 1; i < len(seen); i++ {
		if seen[i].Done < seen[i-1].Done {
			t.Errorf("goes back from %d to %d", seen[i-1].Done, seen[i].Done)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for name, cfg := range map[string]bench.Config{
		"no strategies":      {},
		"negative":           {Strategies: []strategies.Strategy{stackUp}, Reps: -1},
		"not a power of two": {Strategies: []strategies.Strategy{stackUp}, Align: 12},
	} {
		err := bench.Run(context.Background(), cfg, seq(), func(*bench.Cell) error { return nil })
		if err == nil || !strings.Contains(err.Error(), name[:6]) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
