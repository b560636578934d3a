package report

import (
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

// TestNeeds: asked for arenas of a few models, the summary says to the byte
// what each needs, beside what is live at most, which is another figure.
func TestNeeds(t *testing.T) {
	of := func(rec bench.Record, profile string, peak, persistent int64) bench.Record {
		rec.Profile, rec.PeakLiveBytes, rec.PersistentBytes = profile, peak, persistent
		return rec
	}
	for _, test := range []struct {
		name string
		recs []bench.Record
		want []string
	}{
		{"own strategy is best", []bench.Record{
			of(cell("kws", "tflm", 30, 22400, 22400, 4e4), "tflm", 22400, 240),
			of(cell("kws", "exact", 30, 22400, 22400, 4e4), "tflm", 22400, 240),
		}, []string{"kws in bytes: arena 22,400 with tflm; peak live 22,400; persistent, outside the arena, 240", "kTensorArenaSize: "}},
		{"another is better", []bench.Record{
			of(cell("kws", "litert", 30, 22400, 25601, 4e4), "litert", 22300, 0),
			of(cell("kws", "exact", 30, 22400, 22464, 4e4), "litert", 22300, 0),
		}, []string{"kws in bytes: arena 25,601 with litert, 22,464 with exact; peak live 22,300\n"}},
		{"own strategy has no plan", []bench.Record{
			of(failed("kws", "litert", lifetime.Timeout, ""), "litert", 22300, 0),
			of(cell("kws", "exact", 30, 22400, 22464, 4e4), "litert", 22300, 0),
		}, []string{"kws in bytes: arena 22,464 with exact; peak live 22,300\n"}},
		{"no plan", []bench.Record{failed("kws", "litert", lifetime.Timeout, "")}, nil},
		{"many models", sevenBySix(), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := summarize(t, test.recs, Options{Metric: Arena, Width: 200})
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if n := strings.Count(text, " in bytes: "); n != min(len(test.want), 1) {
				t.Errorf("%d answers in\n%s", n, text)
			}
			if text := summarize(t, test.recs, Options{Metric: Gap}); strings.Contains(text, " in bytes: ") {
				t.Errorf("asked for gaps, the summary lists bytes:\n%s", text)
			}
		})
	}
}
