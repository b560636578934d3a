package strategies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// methods are those of the built-in strategies, by name.
var methods = map[string]method{
	"first-fit":            {rule: lowestGap, order: byBirth(), births: true},
	"best-fit":             {rule: smallestGap, order: byBirth(), births: true},
	"greedy-size":          {rule: lowestGap, order: bySize()},
	"greedy-size-best-fit": {rule: smallestGap, order: bySize()},
	"litert":               {rule: litertGap, order: litert{}.order(), whole: true},
	"tflm":                 {rule: lowestGap, order: tflm{}.order(), whole: true, rounds: true},
}

var shapes = map[string]shapeOf{
	"plain":  {buffers: 40, steps: 12, align: -1, sizes: 30},
	"mixed":  {buffers: 40, steps: 30, align: 4, sizes: 30},
	"pins":   {buffers: 30, steps: 12, align: 3, sizes: 30, pins: true},
	"gaps":   {buffers: 30, steps: 12, align: 3, sizes: 30, gaps: true},
	"both":   {buffers: 30, steps: 20, align: 3, sizes: 12, gaps: true, pins: true},
	"narrow": {buffers: 60, steps: 60, align: -1, sizes: 8},
}

// Every structure gives the offsets of the plain words of the rule, and every
// plan is safe.
func TestPlacementEqualsReference(t *testing.T) {
	for name, m := range methods {
		for shape, s := range shapes {
			t.Run(name+"/"+shape, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					table := randomTable(t, s)
					o := Options{}
					if !s.pins {
						o.Align = []int64{0, 1, 8}[rapid.IntRange(0, 2).Draw(t, "least")]
					}
					checkMethod(t, &m, table, o, rapid.IntRange(1, 9).Draw(t, "bucket"))
				})
			})
		}
	}
}

type fataler interface{ Fatalf(string, ...any) }

// checkMethod runs every structure. The yardstick is reference, or list for
// tables too large for it.
func checkMethod(t fataler, m *method, table *lifetime.Table, o Options, bucket int) {
	run := func(fill func(*placement) error) []int64 {
		p, err := prepare(m, table, o)
		if err != nil {
			t.Fatalf("prepare: %v", err)
		}
		if err := fill(p); err != nil {
			t.Fatalf("fill: %v", err)
		}
		return p.offsets
	}
	ctx := context.Background()
	want := run(func(p *placement) error { return p.fill(ctx, tuning{listLimit: 1 << 30}) })
	aligned := lifetime.WithAlign(table, o.Align)
	if err := lifetime.Check(aligned, lifetime.NewPlan(aligned, want)); err != nil {
		t.Fatalf("list is unsafe: %v\n%s", err, format(table, want))
	}
	compare := func(name string, got []int64) {
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, list: %v\n%s", name, got, want, format(table, want))
		}
	}
	if len(table.Buffers) < 1500 {
		run(func(p *placement) error { compare("reference", reference(p)); return nil })
	}
	compare("grid", run(func(p *placement) error { return p.fill(ctx, tuning{listLimit: -1, perBucket: bucket}) }))
	run(func(p *placement) error {
		if !m.births || !p.plain {
			return nil
		}
		err := p.simulate(ctx)
		compare("simulation", p.offsets)
		return err
	})
}

func format(t *lifetime.Table, offsets []int64) string {
	var s strings.Builder
	for i, b := range t.Buffers {
		fmt.Fprintf(&s, "%+v at %d\n", b, offsets[i])
	}
	return s.String()
}

// Every strategy in the list makes safe plans, whatever the table contains,
// and does not depend on the order of the rows unless it says so.
func TestStrategiesAreSafe(t *testing.T) {
	for _, s := range All() {
		for name, shape := range shapes {
			t.Run(s.Info().Name+"/"+name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					table := randomTable(t, shape)
					before := format(table, make([]int64, len(table.Buffers)))
					plan, err := s.Plan(t.Context(), table, Options{Decisions: 200})
					if err != nil {
						t.Fatal(err)
					}
					if err := lifetime.Check(table, plan); err != nil {
						t.Fatalf("%v\n%s", err, format(table, plan.Offsets))
					}
					if after := format(table, make([]int64, len(table.Buffers))); after != before {
						t.Fatal("the table was modified")
					}
					for i, b := range table.Buffers {
						if b.Size == 0 && b.Fixed == nil && plan.Offsets[i] != 0 {
							t.Fatalf("empty buffer %d is at %d", i, plan.Offsets[i])
						}
					}
					if !s.Info().RowOrder {
						checkShuffled(t, s, table, plan)
					}
				})
			})
		}
	}
}

func checkShuffled(t *rapid.T, s Strategy, table *lifetime.Table, plan *lifetime.Plan) {
	rows := make([]int, len(table.Buffers))
	for i := range rows {
		rows[i] = i
	}
	rows = rapid.Permutation(rows).Draw(t, "rows")
	shuffled := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(rows))}
	for k, i := range rows {
		shuffled.Buffers[k] = table.Buffers[i]
	}
	again, err := s.Plan(t.Context(), shuffled, Options{Decisions: 200})
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range rows {
		if again.Offsets[k] != plan.Offsets[i] {
			t.Fatalf("buffer %q moves from %d to %d with the order of rows", table.Buffers[i].Name, plan.Offsets[i], again.Offsets[k])
		}
	}
}

// The guarantee that the strategies claim for equal sizes.
func TestEqualSizesMeetLoad(t *testing.T) {
	for _, s := range All() {
		if s.Info().Guarantee != equalSizes {
			continue
		}
		t.Run(s.Info().Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				table := randomTable(t, shapeOf{buffers: 60, steps: 20, align: -1, sizes: 1})
				for i := range table.Buffers {
					table.Buffers[i].Size = 3 * table.Buffers[i].Align
				}
				plan, err := s.Plan(t.Context(), table, Options{Decisions: 200})
				if err != nil {
					t.Fatal(err)
				}
				if plan.Arena != table.Load() {
					t.Fatalf("arena %d, peak live bytes %d", plan.Arena, table.Load())
				}
			})
		})
	}
}

func pin(at int64) *int64 { return &at }

func TestRules(t *testing.T) {
	// Rows 0 and 2 are wanted at 0 and 60, with holes of 20 and 10 bytes below
	// them that are free from step 1 on.
	holes := []lifetime.Buffer{
		{Name: "low", Size: 20, Lower: 0, Upper: 1},
		{Name: "a", Size: 20, Lower: 0, Upper: 9, Fixed: pin(20)},
		{Name: "mid", Size: 10, Lower: 0, Upper: 1},
		{Name: "b", Size: 10, Lower: 0, Upper: 9, Fixed: pin(50)},
		{Name: "late", Size: 9, Lower: 1, Upper: 9},
	}
	ties := []lifetime.Buffer{
		{Name: "a", Size: 8, Lower: 0, Upper: 2},
		{Name: "b", Size: 8, Lower: 0, Upper: 2},
		{Name: "c", Size: 8, Lower: 0, Upper: 3},
		{Name: "d", Size: 9, Lower: 2, Upper: 3},
	}
	// LiteRT tests the 48 bytes from 16 up, but keeps the 59 from 5 up, so the
	// 52 bytes from 128 up displace them.
	quirk := []lifetime.Buffer{
		{Name: "floor", Size: 5, Lower: 0, Upper: 9, Fixed: pin(0), Align: 1},
		{Name: "wall", Size: 64, Lower: 0, Upper: 9, Fixed: pin(64), Align: 1},
		{Name: "roof", Size: 64, Lower: 0, Upper: 9, Fixed: pin(180), Align: 1},
		{Name: "x", Size: 40, Lower: 0, Upper: 9, Align: 16},
	}
	// Alike but for the alignment: the stricter one comes first.
	strict := []lifetime.Buffer{
		{Name: "a", Size: 8, Lower: 0, Upper: 1, Align: 1},
		{Name: "b", Size: 8, Lower: 0, Upper: 1, Align: 8},
	}
	// LiteRT puts what is live throughout first, by row, whatever its size.
	always := []lifetime.Buffer{
		{Name: "big", Size: 90, Lower: 1, Upper: 2},
		{Name: "small", Size: 10, Lower: 0, Upper: 3},
		{Name: "large", Size: 20, Lower: 0, Upper: 3},
	}
	// Rounded to 16 both have 32 bytes, so the one added last comes first.
	rounded := []lifetime.Buffer{
		{Name: "more", Size: 30, Lower: 0, Upper: 1, Align: 16},
		{Name: "less", Size: 20, Lower: 0, Upper: 1, Align: 16},
	}
	tests := []struct {
		strategy string
		buffers  []lifetime.Buffer
		want     []int64
	}{
		{"first-fit", strict, []int64{8, 0}},
		{"greedy-size", strict, []int64{8, 0}},
		{"litert", always, []int64{30, 0, 10}},
		{"tflm", always, []int64{0, 110, 90}},
		{"tflm", rounded, []int64{32, 0}},
		{"greedy-size", rounded, []int64{0, 32}},
		{"naive", holes, []int64{0, 20, 40, 50, 60}},
		{"first-fit", holes, []int64{0, 20, 40, 50, 0}},
		{"best-fit", holes, []int64{0, 20, 40, 50, 40}},
		{"greedy-size", holes, []int64{0, 20, 40, 50, 0}},
		{"greedy-size-best-fit", holes, []int64{0, 20, 40, 50, 40}},
		{"litert", holes, []int64{0, 20, 40, 50, 40}},
		{"tflm", holes, []int64{0, 20, 40, 50, 0}},
		{"naive", ties, []int64{0, 8, 16, 24}},
		{"first-fit", ties, []int64{8, 16, 0, 8}},
		{"greedy-size", ties, []int64{0, 17, 9, 0}},
		{"tflm", ties, []int64{17, 0, 9, 0}},
		{"litert", ties, []int64{8, 16, 0, 8}},
		{"greedy-size-best-fit", quirk, []int64{0, 64, 180, 16}},
		{"litert", quirk, []int64{0, 64, 180, 128}},
	}
	for _, test := range tests {
		list, err := Lookup(test.strategy)
		if err != nil {
			t.Fatal(err)
		}
		table := &lifetime.Table{Buffers: test.buffers}
		plan, err := list[0].Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Offsets, test.want) {
			t.Errorf("%s: %v, want %v", test.strategy, plan.Offsets, test.want)
		}
		if err := lifetime.Check(table, plan); err != nil {
			t.Errorf("%s: %v", test.strategy, err)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	clash := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "x", Size: 8, Lower: 0, Upper: 2},
		{Name: "p", Size: 8, Lower: 0, Upper: 2, Fixed: pin(0)},
		{Name: "q", Size: 8, Lower: 1, Upper: 2, Fixed: pin(4)},
	}}
	tests := []struct {
		table *lifetime.Table
		o     Options
		want  string
	}{
		{clash, Options{}, `fixed offsets clash: buffers 1 "p" and 2 "q" share bytes [4, 8) at step 1`},
		{clash, Options{Align: 8}, `buffer 2 "q": fixed offset 4 is not a multiple of the alignment 8`},
		{clash, Options{Align: 3}, "alignment 3 is not a power of two"},
		{clash, Options{Align: -1}, "alignment -1 is not a power of two"},
		{&lifetime.Table{Buffers: []lifetime.Buffer{{Name: "e", Size: 1}}}, Options{}, `buffer 0 "e": size 1, life [0, 0): not a valid table`},
	}
	for _, s := range builtin() {
		for _, test := range tests {
			_, err := s.Plan(t.Context(), test.table, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want one with %q", s.Info().Name, err, test.want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Plan(ctx, clash, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancel", s.Info().Name, err)
		}
		if s.Info().Name == "naive" {
			continue // takes no time
		}
		if _, err := s.Plan(t.Context(), large(5000), Options{TimeLimit: time.Nanosecond}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v after the time limit", s.Info().Name, err)
		}
	}
}

// The context is looked at while buffers are placed, not only before.
func TestCancelMidway(t *testing.T) {
	table := large(2000)
	for name, m := range methods {
		p, err := prepare(&m, table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs := []func(context.Context) error{
			func(ctx context.Context) error { return p.fill(ctx, tuning{listLimit: 1 << 30}) },
			func(ctx context.Context) error { return p.fill(ctx, tuning{listLimit: -1, perBucket: 48}) },
		}
		if m.births {
			runs = append(runs, p.simulate)
		}
		for i, run := range runs {
			ctx := &countdown{Context: t.Context(), left: 3}
			if err := run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, structure %d: error %v", name, i, err)
			}
		}
	}
}

// countdown is done after it was looked at a few times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// large returns a table like that of a deep network, the same at each call.
func large(n int) *lifetime.Table {
	t := &lifetime.Table{Name: fmt.Sprint("large-", n), Buffers: make([]lifetime.Buffer, n)}
	state := uint64(88172645463325252)
	draw := func(n int64) int64 {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return int64(state>>1) % n
	}
	for i := range t.Buffers {
		life := 1 + draw(4)
		if draw(20) == 0 {
			life = 1 + draw(int64(n/4))
		}
		lower := draw(int64(n))
		t.Buffers[i] = lifetime.Buffer{
			Name: fmt.Sprint(i), Size: (1 + draw(64)) << draw(12), Align: 64,
			Lower: lower, Upper: lower + life,
		}
	}
	return t
}
