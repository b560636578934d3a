package executor

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/lifetime"
)

// ladder is a table of n buffers of 16 KiB and less, three live at a time.
func ladder(n int) *lifetime.Table {
	tab := &lifetime.Table{}
	for i := range n {
		tab.Buffers = append(tab.Buffers, lifetime.Buffer{
			Size: int64(16<<10 - i%7*1000), Lower: int64(i), Upper: int64(i + 3),
		})
	}
	return tab
}

func benchmark(b *testing.B, p *Program, plan *lifetime.Plan, limit int64) {
	b.Helper()
	ctx, o := context.Background(), Options{MaxArena: limit, Memory: &Memory{}}
	res, err := p.Validate(ctx, plan, o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(res.Bytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Validate(ctx, plan, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRealBytes(b *testing.B) {
	tab := ladder(300)
	benchmark(b, FromTable(tab), sweep(tab), 0)
}

func BenchmarkLabels(b *testing.B) {
	tab := ladder(50_000)
	benchmark(b, FromTable(tab), sweep(tab), -1)
}

func BenchmarkFromTable(b *testing.B) {
	tab := ladder(50_000)
	b.ReportAllocs()
	for b.Loop() {
		FromTable(tab)
	}
}

// BenchmarkDataTables runs every table of the data folder.
func BenchmarkDataTables(b *testing.B) {
	for _, file := range dataFiles(b, "tables", "*.csv") {
		tab := readTable(b, file)
		if len(tab.Buffers) < 200 {
			continue
		}
		b.Run(filepath.Base(file), func(b *testing.B) { benchmark(b, FromTable(tab), sweep(tab), 0) })
	}
}

// BenchmarkDataModels validates one plan of every model of the data folder.
func BenchmarkDataModels(b *testing.B) {
	profile, err := graph.LookupProfile("litert")
	if err != nil {
		b.Fatal(err)
	}
	var programs []*Program
	var plans []*lifetime.Plan
	for _, file := range dataFiles(b, "models", "*.tflite") {
		model, err := tflite.Read(file)
		if err != nil {
			continue
		}
		p, table := modelProgram(b, model, model.Subgraphs[0], profile)
		programs, plans = append(programs, p), append(plans, sweep(table))
	}
	for name, limit := range map[string]int64{"bytes": 0, "labels": -1} {
		b.Run(name, func(b *testing.B) {
			m := &Memory{}
			var bytes int64
			b.ReportAllocs()
			for b.Loop() {
				bytes = 0
				for i, p := range programs {
					res, err := p.Validate(context.Background(), plans[i], Options{MaxArena: limit, Memory: m})
					if err != nil {
						b.Fatal(err)
					}
					bytes += res.Bytes
				}
			}
			b.SetBytes(bytes)
		})
	}
}
