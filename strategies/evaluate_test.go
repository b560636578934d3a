package strategies

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

var evaluators = []Strategy{greedySize{}, litert{}, tflm{}}

// evaluation is a table as evaluators take it, its steps ranked.
type evaluation struct {
	size               []int64
	lower, upper, rows []int32
}

func newEvaluation(t *lifetime.Table) evaluation {
	var steps []int64
	for _, b := range t.Buffers {
		steps = append(steps, b.Lower, b.Upper)
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	var e evaluation
	for i, b := range t.Buffers {
		lower, _ := slices.BinarySearch(steps, b.Lower)
		upper, _ := slices.BinarySearch(steps, b.Upper)
		e.size = append(e.size, b.Size)
		e.lower = append(e.lower, int32(lower))
		e.upper = append(e.upper, int32(upper))
		e.rows = append(e.rows, int32(i))
	}
	return e
}

func newEvaluator(t testing.TB, s Strategy) *Evaluator {
	e, err := NewEvaluator(s.Info().Name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// planArena is the arena of the strategy itself.
func planArena(t interface{ Fatal(...any) }, s Strategy, table *lifetime.Table, align int64) int64 {
	plan, err := s.Plan(context.Background(), table, Options{Align: align})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Arena
}

// An evaluator gives the arena of its strategy, whatever it was asked before,
// for rows in any order and for rows that are not there; below a limit it says
// so.
func TestEvaluatorIsTheStrategy(t *testing.T) {
	for _, s := range evaluators {
		e := newEvaluator(t, s)
		rapid.Check(t, func(t *rapid.T) {
			align := int64(1) << rapid.IntRange(0, 4).Draw(t, "align")
			table := &lifetime.Table{Buffers: make([]lifetime.Buffer, rapid.IntRange(0, 40).Draw(t, "n"))}
			steps := rapid.Int64Range(1, 60).Draw(t, "steps")
			most := rapid.SampledFrom([]int64{3, 40, 1000}).Draw(t, "most")
			for i := range table.Buffers {
				b := &table.Buffers[i]
				b.Size = rapid.Int64Range(0, most).Draw(t, "size")
				b.Lower = rapid.Int64Range(0, steps-1).Draw(t, "lower")
				b.Upper = rapid.Int64Range(b.Lower+1, min(steps, b.Lower+rapid.SampledFrom([]int64{2, 9, 60}).Draw(t, "life"))).Draw(t, "upper")
			}
			v := newEvaluation(table)
			e.Reset(v.size, align)
			for range 3 {
				rand.Shuffle(len(v.rows), func(i, j int) { v.rows[i], v.rows[j] = v.rows[j], v.rows[i] })
				there := &lifetime.Table{}
				for k, i := range v.rows {
					if k%5 == 4 {
						v.upper[i] = v.lower[i]
					}
					if v.lower[i] < v.upper[i] {
						there.Buffers = append(there.Buffers, table.Buffers[i])
					}
				}
				want := planArena(t, s, there, align)
				if got := e.Arena(v.lower, v.upper, v.rows, math.MaxInt64); got != want {
					t.Fatalf("%s: %d, the strategy %d", s.Info().Name, got, want)
				}
				if top := e.Top(); (top < 0) != (want == 0) {
					t.Fatalf("%s: top %d of %d bytes", s.Info().Name, top, want)
				}
				limit := rapid.Int64Range(0, want+1).Draw(t, "limit")
				if got := e.Arena(v.lower, v.upper, v.rows, limit); got > limit != (want > limit) || got <= limit && got != want {
					t.Fatalf("%s: %d under the limit %d, the strategy %d", s.Info().Name, got, limit, want)
				}
			}
		})
	}
}

// Evaluators give the arenas of their strategies on real tables.
func TestEvaluatorOnTables(t *testing.T) {
	tables := 0
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		plain := !slices.ContainsFunc(table.Buffers, func(b lifetime.Buffer) bool {
			return b.Fixed != nil || len(b.Gaps) > 0 || b.Alignment() != 1
		})
		if table.Validate() != nil || !plain || len(table.Buffers) > 4000 {
			continue
		}
		tables++
		v := newEvaluation(table)
		for _, s := range evaluators {
			e := newEvaluator(t, s)
			for _, align := range []int64{1, 64} {
				e.Reset(v.size, align)
				want := planArena(t, s, table, align)
				if got := e.Arena(v.lower, v.upper, v.rows, math.MaxInt64); got != want {
					t.Errorf("%s: %s at %d: %d, the strategy %d", table.Name, s.Info().Name, align, got, want)
				}
			}
		}
	}
	if t.Logf("%d tables", tables); tables == 0 {
		t.Error("no table could be evaluated")
	}
}

func TestEvaluatorAllocatesNothing(t *testing.T) {
	v := newEvaluation(networkTable(1000))
	for _, s := range evaluators {
		e := newEvaluator(t, s)
		e.Reset(v.size, 64)
		run := func() { e.Arena(v.lower, v.upper, v.rows, math.MaxInt64) }
		run()
		if n := testing.AllocsPerRun(3, run); n > 0 {
			t.Errorf("%s: %v allocations", s.Info().Name, n)
		}
	}
}

func TestEvaluatorUnknown(t *testing.T) {
	if _, err := NewEvaluator("naive"); err == nil {
		t.Error("an evaluator of naive")
	}
}

// networkTable is like that of a network with branches: mostly short lives, in
// a few sizes, and some longer ones.
func networkTable(n int) *lifetime.Table {
	r := rand.New(rand.NewPCG(1, 1))
	table := &lifetime.Table{}
	for i := range int64(n) {
		life := 2 + r.Int64N(3)
		if r.IntN(8) == 0 {
			life = 5 + r.Int64N(80)
		}
		table.Buffers = append(table.Buffers, lifetime.Buffer{
			Size: 1024 << r.IntN(6) * (1 + r.Int64N(3)), Lower: i, Upper: min(i+life, int64(n)+1),
		})
	}
	return table
}

func BenchmarkEvaluator(b *testing.B) {
	v := newEvaluation(networkTable(1000))
	for _, s := range evaluators {
		b.Run(s.Info().Name, func(b *testing.B) {
			e := newEvaluator(b, s)
			e.Reset(v.size, 64)
			b.ReportAllocs()
			for b.Loop() {
				e.Arena(v.lower, v.upper, v.rows, math.MaxInt64)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "plans/s")
		})
	}
}
