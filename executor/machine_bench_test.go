package executor

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// BenchmarkMachine runs networks in memory of their own, in an arena, and from
// a recording. MAC/s are multiplications as Machine.Work estimates them.
func BenchmarkMachine(b *testing.B) {
	files := []string{
		"../datasets/models/mobilenet-v2.tflite", "../datasets/models/mobilenet-v2_int8.tflite", "../datasets/models/nasnet-a.tflite",
	}
	for _, file := range files {
		b.Run(filepath.Base(file), func(b *testing.B) { benchmarkMachine(b, file) })
	}
}

func benchmarkMachine(b *testing.B, file string) {
	model, err := tflite.Read(file)
	if err != nil {
		b.Fatal(err)
	}
	ctx, order := context.Background(), graph.Stored(model.Subgraphs[0])
	m, err := NewMachine(model, MachineOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	rec, err := m.Record(ctx, 0, RecordOptions{Invocations: 1})
	if err != nil {
		b.Fatal(err)
	}
	profile, err := graph.LookupProfile("litert")
	if err != nil {
		b.Fatal(err)
	}
	lt, err := graph.NewLifetimes(model, model.Subgraphs[0], order, profile)
	if err != nil {
		b.Fatal(err)
	}
	a, err := rec.NewArenaRun(order, lt)
	if err != nil {
		b.Fatal(err)
	}
	plan := sweep(lt.Table)
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			x, err := NewMachine(model, MachineOptions{Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			x.Close()
		}
	})
	b.Run("record", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.Record(ctx, 0, RecordOptions{Invocations: 1}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(m.Work(0))*float64(b.N)/b.Elapsed().Seconds(), "MAC/s")
	})
	for name, o := range map[string]RunOptions{"arena": {}, "trust": {Trust: true}, "replay": {Replay: true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Run(ctx, plan, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(m.Work(0))*float64(b.N)/b.Elapsed().Seconds(), "MAC/s")
		})
	}
}
