package report

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// cell returns a safe record of a model.
func cell(model, strategy string, buffers int, bound, arena int64, plan float64) bench.Record {
	rec := bench.Record{
		Schema: bench.SchemaVersion, Model: model, Path: model + ".tflite", Source: "model",
		Profile: "litert", Order: "stored", Strategy: strategy,
		Operators: buffers - 1, Buffers: buffers,
		ArenaBytes: arena, LowerBoundBytes: bound, BoundKind: lifetime.BoundLoad, BoundStep: 76,
		PeakLiveBytes: bound, NaiveBytes: 20 * bound, Status: lifetime.Feasible, Validated: "symbolic",
		PlanNS: plan, PlanNSLow: plan * 0.97, PlanNSHigh: plan * 1.05, PlanReps: 10,
		Host: bench.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU @ 2.0GHz", Cores: 2},
	}
	if arena == bound {
		rec.Status = lifetime.Optimal
	}
	if bound > 0 {
		rec.Gap = float64(arena-bound) / float64(bound)
		rec.Fragmentation = float64(arena-bound) / float64(arena)
		rec.Reuse = 1 - float64(arena)/float64(20*bound)
	}
	return rec
}

// failed returns a record of a cell without a plan.
func failed(model, strategy string, status lifetime.Status, text string) bench.Record {
	return bench.Record{
		Model: model, Source: "model", Profile: "litert", Order: "stored", Strategy: strategy,
		Status: status, Error: text, Buffers: 40,
	}
}

// unread returns a record of a file that was not planned.
func unread(model, text string) bench.Record {
	return bench.Record{Model: model, Path: model, Status: lifetime.Failed, Error: text}
}

// published are arenas that real planners gave to real tables; those of the
// last column are made up.
var published = []struct {
	model   string
	buffers int
	bound   int64
	arenas  [6]int64
}{
	{"nasnet_a_c8_9cells_int8", 356, 122880, [6]int64{2433024, 248218, 182845, 139264, 137776, 131072}},
	{"hps_model_89ops", 90, 211456, [6]int64{3615897, 522296, 298788, 266304, 256224, 240896}},
	{"nmp", 223, 4844417, [6]int64{26062963, 7319914, 6980805, 5391836, 5391836, 5275571}},
	{"palm_detection_lite", 233, 3538944, [6]int64{44944588, 6118835, 4016701, 3538944, 3538944, 3538944}},
	{"lyragan", 175, 69324, [6]int64{424956, 97192, 80693, 69324, 69324, 69324}},
	{"kws_micro", 30, 22400, [6]int64{61104, 22400, 22400, 22400, 22400, 22400}},
	{"person_detect", 61, 55296, [6]int64{392192, 73728, 55296, 55299, 55296, 55296}},
}

var publishedStrategies = [6]string{"naive", "first-fit", "best-fit", "litert", "tflm", "exact"}

// sevenBySix returns the records of the published table.
func sevenBySix() []bench.Record {
	var out []bench.Record
	times := [6]float64{2100, 41_000, 180_000, 95_000, 110_000, 1.4e9}
	for i, p := range published {
		for k, s := range publishedStrategies {
			out = append(out, cell(p.model, s, p.buffers, p.bound, p.arenas[k], times[k]*(1+float64(i)/10)))
		}
	}
	return out
}

// synthetic returns a run of n models with plausible arenas.
func synthetic(n int, strategies ...string) []bench.Record {
	r := rand.New(rand.NewPCG(7, 11))
	var out []bench.Record
	for i := range n {
		bound := int64(1000 + r.IntN(5_000_000))
		hard := r.Float64() * r.Float64()
		for k, s := range strategies {
			arena := bound
			if spread := 8 / float64((k+1)*(k+1)*(k+1)); r.Float64() < 0.6 || k == 0 {
				arena += int64(float64(bound) * spread * hard * (0.5 + r.Float64()))
			}
			plan := 1e4 * math.Pow(3.3, float64(k)) * (0.5 + r.Float64())
			out = append(out, cell(fmt.Sprintf("zoo/model_%03d", i), s, 20+r.IntN(400), bound, arena, plan))
		}
	}
	return out
}

// inOrder gives the records to another order, whose bounds are scaled.
func inOrder(recs []bench.Record, order string, percent int64) []bench.Record {
	out := make([]bench.Record, len(recs))
	for i, rec := range recs {
		rec.Order = order
		rec.LowerBoundBytes = rec.LowerBoundBytes * percent / 100
		rec.ArenaBytes = rec.ArenaBytes * percent / 100
		out[i] = rec
	}
	return out
}
