package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

func summarize(t *testing.T, recs []bench.Record, o Options) string {
	t.Helper()
	var buf bytes.Buffer
	if err := Summary(&buf, recs, o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// withFailures breaks some cells of the published table.
func withFailures() []bench.Record {
	recs := sevenBySix()
	for i := range recs {
		rec := &recs[i]
		switch rec.Model + "/" + rec.Strategy {
		case "nmp/exact":
			*rec = failed("nmp", "exact", lifetime.Timeout, "")
		case "lyragan/tflm":
			*rec = failed("lyragan", "tflm", lifetime.Failed, "buffer 3 \"a\\nb\": alignment 3\nis not a power of two")
		case "kws_micro/first-fit":
			rec.Validated = ""
			rec.Error = "tensor 4 of operator 7 was overwritten by operator 6"
		case "person_detect/exact":
			*rec = failed("person_detect", "exact", lifetime.Infeasible, "needs 55,296 B of 50,000 B")
		}
	}
	return append(recs,
		unread("broken/truncated.tflite", "graph/tflite: offset 1834 is outside of the file"),
		unread("broken/empty.tflite", ""))
}

// mixed is a run of models in two orders and two profiles, and of tables.
func mixed() []bench.Record {
	recs := sevenBySix()[:18]
	all := append(recs, inOrder(recs, "greedy-bytes", 90)...)
	for _, rec := range recs {
		rec.Profile = "tflm"
		all = append(all, rec)
	}
	for _, rec := range synthetic(3, publishedStrategies[:]...) {
		rec.Source, rec.Profile, rec.Order = "table", "table", "given"
		rec.Model = strings.TrimPrefix(rec.Model, "zoo/") + ".csv"
		all = append(all, rec)
	}
	return all
}

// matrix2x3 is a run of models in three orders under two profiles.
func matrix2x3() []bench.Record {
	recs := sevenBySix()
	all := inOrder(recs, "breadth-first", 130)
	all = append(all, recs...)
	all = append(all, inOrder(recs, "greedy-bytes", 90)...)
	for _, rec := range all {
		rec.Profile = "tflm"
		all = append(all, rec)
	}
	return all
}

func units() []bench.Record {
	var out []bench.Record
	for i, bound := range []int64{7, 1023, 1024, 1_047_552, 1_048_575, 1 << 20, 5 << 30, 3 << 40} {
		name := string(rune('a' + i))
		out = append(out,
			cell(name, "first-fit", 10, bound, bound+bound/7, 999.6),
			cell(name, "litert", 10, bound, bound+1, 9_960),
			cell(name, "exact", 10, bound, bound, 59.99e9))
	}
	return out
}

func TestSummaryGolden(t *testing.T) {
	seven := sevenBySix()
	tests := []struct {
		name string
		recs []bench.Record
		o    Options
	}{
		{"seven.txt", seven, Options{}},
		{"seven-80.txt", seven, Options{Width: 80}},
		{"seven-60.txt", seven, Options{Width: 60}},
		{"seven-40.txt", seven, Options{Width: 40}},
		{"seven-plain.txt", seven, Options{Plain: true}},
		{"seven-color.txt", seven, Options{Color: true}},
		{"seven-arena.txt", seven, Options{Metric: Arena}},
		{"seven-time.txt", seven, Options{Metric: Time}},
		{"seven-frag.txt", seven, Options{Metric: Fragmentation}},
		{"seven.md", seven, Options{Format: Markdown}},
		{"seven.tex", seven, Options{Format: LaTeX}},
		{"seven.html", seven, Options{Format: HTML}},
		{"one.txt", seven[:6], Options{}},
		{"single.txt", synthetic(3, "litert"), Options{}},
		{"many.txt", synthetic(347, publishedStrategies[:]...), Options{}},
		{"failed.txt", withFailures(), Options{}},
		{"failed.md", withFailures(), Options{Format: Markdown}},
		{"failed.tex", withFailures(), Options{Format: LaTeX}},
		{"mixed.txt", mixed(), Options{}},
		{"overview.txt", matrix2x3(), Options{}},
		{"overview-70.txt", matrix2x3(), Options{Width: 70}},
		{"units.txt", units(), Options{}},
		{"wide.txt", synthetic(4, "naive", "first-fit", "best-fit", "greedy-size", "greedy-size-best-fit",
			"litert", "tflm", "simulated-annealing-with-restarts", "exact"), Options{}},
		{"objects.md", sharingObjects(), Options{Format: Markdown}},
		{"objects.html", sharingObjects(), Options{Format: HTML}},
		{"objects-orders.md", append(inOrder(sharingObjects(), "greedy-bytes", 100), sharingObjects()...), Options{Format: Markdown}},
		{"nothing.txt", nil, Options{}},
		{"unread.txt", []bench.Record{unread("a.tflite", "not a model")}, Options{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { golden(t, tt.name, summarize(t, tt.recs, tt.o)) })
	}
}

// sharingObjects is a run of planners of shared objects and of one of offsets:
// kws needs nothing for alignment, lyragan does, and of nmp one has no plan.
func sharingObjects() []bench.Record {
	of := func(rec bench.Record, count int, bytes, bound int64) bench.Record {
		rec.ObjectCount, rec.ObjectBytes, rec.ObjectBoundBytes = count, bytes, bound
		return rec
	}
	return []bench.Record{
		of(cell("kws", "gpu-equality", 30, 22400, 61104, 4e4), 9, 61104, 25600),
		of(cell("kws", "gpu-in-order", 30, 22400, 25600, 5e4), 4, 25600, 25600),
		cell("kws", "litert", 30, 22400, 22400, 6e4),
		of(cell("lyragan", "gpu-equality", 175, 69324, 80693, 4e5), 14, 79001, 79001),
		of(cell("lyragan", "gpu-in-order", 175, 69324, 97192, 5e5), 12, 96876, 79001),
		cell("lyragan", "litert", 175, 69324, 69324, 6e5),
		of(cell("nmp", "gpu-equality", 223, 4844417, 6980805, 4e5), 20, 6980805, 5391836),
		failed("nmp", "gpu-in-order", lifetime.Timeout, ""),
		cell("nmp", "litert", 223, 4844417, 5275571, 6e5),
	}
}

// TestObjectsOnlyWhereShared: runs without planners of shared objects say
// nothing of them, nor does text.
func TestObjectsOnlyWhereShared(t *testing.T) {
	for _, test := range []struct {
		recs []bench.Record
		o    Options
		want int
	}{
		{sharingObjects(), Options{Format: Markdown}, 1},
		{sharingObjects(), Options{}, 0},
		{sevenBySix(), Options{Format: Markdown}, 0},
	} {
		if n := strings.Count(summarize(t, test.recs, test.o), "shared objects, for runtimes"); n != test.want {
			t.Errorf("format %q: %d sections on objects, want %d", test.o.Format, n, test.want)
		}
	}
	// Without a model that both planned there is nothing to compare.
	recs := sharingObjects()
	nothing := []bench.Record{recs[1], failed("kws", "gpu-equality", lifetime.Timeout, ""), recs[6], recs[7]}
	if text := summarize(t, nothing, Options{Format: Markdown}); !strings.Contains(text, "| gpu-equality | 0 |") || strings.Contains(text, "NaN") {
		t.Errorf("without a common model:\n%s", text)
	}
}

func TestDetailsGolden(t *testing.T) {
	for name, o := range map[string]Options{
		"details.txt": {}, "details-60.txt": {Width: 60}, "details.md": {Format: Markdown}, "details.tex": {Format: LaTeX},
	} {
		var buf bytes.Buffer
		recs := withFailures()
		if err := Details(&buf, append(recs[12:18:18], recs[24:30]...), o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, buf.String())
	}
	for name, o := range map[string]Options{"details-objects.txt": {}, "details-objects.md": {Format: Markdown}} {
		var buf bytes.Buffer
		if err := Details(&buf, sharingObjects(), o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, buf.String())
	}
}
