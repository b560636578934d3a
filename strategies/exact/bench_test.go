package exact

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// tables returns the lifetime tables of the data set that the filter picks.
func tables(tb testing.TB, keep func(*lifetime.Table) bool) []*lifetime.Table {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		tb.Skip("ARENALAB_DATA is not set: no tables to search")
	}
	files, err := filepath.Glob(filepath.Join(root, "tables", "*.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []*lifetime.Table
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		t, err := lifetime.ReadCSV(f, lifetime.CSVOptions{})
		f.Close()
		if err != nil {
			tb.Logf("%s: %v", filepath.Base(name), err)
			continue
		}
		t.Name = strings.TrimSuffix(filepath.Base(name), ".csv")
		if keep(t) {
			out = append(out, t)
		}
	}
	return out
}

// challenging picks the tables whose file name states the capacity to fit
// into, as the benchmarks of the MiniMalloc paper do.
func challenging(t *lifetime.Table) bool { return capacityOf(t) > 0 }

func capacityOf(t *lifetime.Table) (c int64) {
	if i := strings.LastIndexByte(t.Name, '.'); i >= 0 {
		c, _ = strconv.ParseInt(t.Name[i+1:], 10, 64) // 0 if it is something else
	}
	return c
}

// BenchmarkFeasible fits the tables whose names state a capacity into it: as
// they are, mirrored in time, and with shuffled rows.
func BenchmarkFeasible(b *testing.B) {
	for _, t := range tables(b, challenging) {
		for k, table := range []*lifetime.Table{t, mirrored(t)} {
			b.Run(t.Name+[]string{"", "/mirrored"}[k], func(b *testing.B) {
				b.ReportAllocs()
				var nodes int64
				for b.Loop() {
					got, status, err := Feasible(context.Background(), table, capacityOf(t), Options{Seed: 1})
					if err != nil || status != lifetime.Feasible || lifetime.Check(table, got.Plan) != nil {
						b.Fatal(status, err)
					}
					nodes = got.Stats.Decisions
				}
				b.ReportMetric(float64(nodes), "nodes")
			})
		}
	}
}

func mirrored(t *lifetime.Table) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	for i := range out.Buffers {
		b := &out.Buffers[i]
		b.Lower, b.Upper = -b.Upper, -b.Lower
	}
	return out
}

func shuffled(t *lifetime.Table, seed uint64) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	rand.New(rand.NewPCG(seed, 2)).Shuffle(len(out.Buffers), func(i, j int) {
		out.Buffers[i], out.Buffers[j] = out.Buffers[j], out.Buffers[i]
	})
	return out
}

// BenchmarkMinimize closes every table of less than 2,000 buffers, or says how
// far it came in ten seconds.
func BenchmarkMinimize(b *testing.B) {
	for _, t := range tables(b, func(t *lifetime.Table) bool { return len(t.Buffers) < 2000 }) {
		b.Run(t.Name, func(b *testing.B) {
			var got Result
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				var err error
				if got, err = Minimize(ctx, t, Options{Seed: 1}); err != nil {
					b.Fatal(err)
				}
				cancel()
				if err := lifetime.Check(t, got.Plan); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(got.Plan.Arena)/float64(got.Plan.LowerBound), "arena/bound")
			b.ReportMetric(float64(got.Stats.Decisions), "nodes")
		})
	}
}
