package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

func TestOverhead(t *testing.T) {
	for ratio, want := range map[float64]string{
		1.488: "+48.8%", 1.067: "+6.7%", 1.0035: "+0.35%", 1.00001: "<0.01%", 1.0000999: "<0.01%", 1.00011: "+0.01%",
		1.00996: "+1.0%", 1.9999: "+100.0%", 2: "×2.00", 2.019: "×2.02", 19.796: "×19.8", 107.2: "×107", 99.96: "×100",
		1240: "×1240", 2e6: "×2e+06", 0.9: "−10.0%", 0.99999: "−<0.01%",
	} {
		if got := overhead(ratio); got != want {
			t.Errorf("overhead(%v) = %q, want %q", ratio, got, want)
		}
	}
}

// TestNoZeroForNonZero holds all formats of shares to what they promise.
func TestNoZeroForNonZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-12, 3).Draw(t, "x")
		for _, s := range []string{overhead(1 + x), percent(x), signedPercent(-x * 100)} {
			if 1+x == 1 {
				return
			}
			digits := strings.Trim(s, "+−<×%")
			if strings.Trim(digits, "0.") == "" {
				t.Fatalf("%v is shown as %q", x, s)
			}
			if _, decimals, _ := strings.Cut(digits, "."); len(decimals) > 2 {
				t.Fatalf("%v is shown as %q, with more than two decimals", x, s)
			}
		}
	})
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 7: "7 B", 1023: "1023 B", 1024: "1.00 KiB", 122880: "120 KiB", 10239: "10.0 KiB", 10188: "9.95 KiB",
		1_048_063: "1023 KiB", 1_048_064: "1.00 MiB", 4_844_417: "4.62 MiB", math.MaxInt64: "8.00 EiB", -5: "-5 B",
	} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 266304: "266,304", -1234567: "−1,234,567"} {
		if got := exact(n); got != want {
			t.Errorf("exact(%d) = %q, want %q", n, got, want)
		}
	}
	if got := sizeLike(1, 5<<30); got != "<0.01" {
		t.Errorf("one byte in GiB is %q", got)
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0ns", 12: "12ns", 999.6: "1.0µs", 41_000: "41µs", 2_100: "2.1µs", 9_960: "10µs", 180_000: "180µs",
		1.4e9: "1.4s", 59.99e9: "60s", math.Inf(1): "–", -1: "–",
	} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
	if got := duration(math.NaN()); got != "–" {
		t.Errorf("duration(NaN) = %q", got)
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"1 model": plural(1, "model"), "0 models": plural(0, "model"), "2,082 plans": plural(2082, "plan"),
		"7 strategies": plural(7, "strategy"), "2 matrixes": plural(2, "matrix"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// expected are the aggregates of a strategy, computed from arenas in the
// plainest way.
type expected struct{ common, meets, best, alone, product float64 }

// expect computes them for column k. Failures are -1, every bound is 100.
func expect(arenas [][3]int64, k int, ever [3]bool) expected {
	e := expected{product: 1}
	for _, row := range arenas {
		all, rivals, beaten := true, 0, false
		for j := range row {
			all = all && (row[j] >= 0 || !ever[j])
			if j != k && row[j] >= 0 {
				beaten = beaten || row[j] < row[k]
				if row[j] == row[k] {
					rivals++
				}
			}
		}
		if !all {
			continue
		}
		e.common++
		e.product *= float64(row[k]) / 100
		if row[k] == 100 {
			e.meets++
		}
		if !beaten {
			e.best++
			if rivals == 0 {
				e.alone++
			}
		}
	}
	return e
}

// TestAggregatesAgreeWithRecords computes the foot of the table once more, by
// its definition.
func TestAggregatesAgreeWithRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var recs []bench.Record
		arenas := make([][3]int64, rapid.IntRange(1, 12).Draw(t, "models"))
		ever := [3]bool{}
		for i := range arenas {
			for k, s := range []string{"a", "b", "c"} {
				arena := rapid.SampledFrom([]int64{-1, 100, 100, 101, 150, 400}).Draw(t, "arena")
				arenas[i][k] = arena
				ever[k] = ever[k] || arena >= 0
				rec := cell(fmt.Sprint("m", i), s, 9, 100, max(arena, 100), 5)
				if arena < 0 {
					rec = failed(rec.Model, s, lifetime.Timeout, "")
				}
				recs = append(recs, rec)
			}
		}
		for _, c := range newMatrix(recs).blocks[0].columns {
			k := int(c.strategy[0] - 'a')
			want := expect(arenas, k, ever)
			if !ever[k] || want.common == 0 {
				if !math.IsNaN(c.geomean) {
					t.Fatalf("%s has a mean of nothing: %v", c.strategy, c.geomean)
				}
				continue
			}
			mean := math.Pow(want.product, 1/want.common)
			if math.Abs(c.geomean-mean) > 1e-9 || float64(c.meets) != want.meets ||
				float64(c.best) != want.best || float64(c.alone) != want.alone {
				t.Fatalf("%s: %+v; want geomean %v and %+v", c.strategy, c, mean, want)
			}
		}
	})
}

func TestLastRecordCounts(t *testing.T) {
	first, second := cell("m", "a", 9, 100, 150, 5), cell("m", "a", 9, 100, 120, 5)
	broken := failed("m", "a", lifetime.Timeout, "")
	for _, tt := range []struct {
		recs []bench.Record
		want int64
	}{
		{[]bench.Record{first, second}, 120},
		{[]bench.Record{second, first}, 150},
		{[]bench.Record{broken, first}, 150},
		{[]bench.Record{first, broken}, 150}, // a later failure takes nothing back
	} {
		m := newMatrix(tt.recs)
		if got := m.blocks[0].rows[0].best; got != tt.want || m.plans != 1 {
			t.Errorf("best %d of %d plans, want %d of 1", got, m.plans, tt.want)
		}
	}
}

func TestSameBytesCountOnce(t *testing.T) {
	recs := []bench.Record{cell("m", "a", 9, 100, 150, 5), cell("copy", "a", 9, 100, 150, 5), cell("other", "a", 9, 100, 100, 5)}
	recs[0].Hash, recs[1].Hash, recs[2].Hash = "1", "1", "2"
	b := newMatrix(recs).blocks[0]
	if len(b.rows) != 3 || len(b.common) != 2 || b.twins() != 1 {
		t.Errorf("%d rows, %d counted, %d twins", len(b.rows), len(b.common), b.twins())
	}
	if in := newInstances(recs); in.all != 2 {
		t.Errorf("plots count %d models, want 2", in.all)
	}
	recs[1].Subgraph = 1
	if b := newMatrix(recs).blocks[0]; b.twins() != 0 {
		t.Error("two subgraphs of a file count as one")
	}
	recs[1].Subgraph, recs[1].Align = 0, 64
	if m := newMatrix(recs); len(m.blocks) != 2 {
		t.Error("arenas of different alignments are compared")
	}
}

func TestVerdict(t *testing.T) {
	a, b := func(arena int64) bench.Record { return cell("m", "litert", 9, 100, arena, 5) },
		func(arena int64) bench.Record { return cell("m", "exact", 9, 100, arena, 5) }
	tests := []struct {
		name string
		recs []bench.Record
		want string
	}{
		{"tie", []bench.Record{a(110), b(110)},
			"best known: litert and exact on 1 of 1, 0 of 1 proven optimal; nothing smaller than litert was found"},
		{"gain", []bench.Record{a(2000), b(100)},
			"best known: exact on 1 of 1 (alone on 1), 1 of 1 proven optimal; most to gain: m, litert 2,000 → exact 100 B (−95.0%)"},
		{"unsafe does not count", []bench.Record{a(120), func() bench.Record { r := b(100); r.Validated = ""; return r }()},
			"best known: litert on 1 of 1 (alone on 1), 0 of 1 proven optimal; nothing smaller than litert was found"},
		{"one strategy", []bench.Record{b(100)}, "exact meets the proven bound on 1 of 1"},
		{"no plan", []bench.Record{failed("m", "exact", lifetime.Timeout, "")},
			"no model has a safe plan of every strategy, so nothing can be compared"},
		{"nothing", nil, "nothing was planned, so there is nothing to compare"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := newMatrix(tt.recs).verdict(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{Format: "pdf"}, {Metric: "speed"}} {
		if err := Summary(&bytes.Buffer{}, nil, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
		if err := Details(&bytes.Buffer{}, nil, o); err == nil {
			t.Errorf("%+v was accepted by Details", o)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheWriter(t *testing.T) {
	for _, f := range []Format{Text, Markdown, LaTeX, HTML} {
		if err := Summary(fullDisk{}, sevenBySix(), Options{Format: f}); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", f, err)
		}
	}
	f := Profile(sevenBySix())
	if err := f.WriteSVG(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("SVG: error %v", err)
	}
	if err := f.WritePNG(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("PNG: error %v", err)
	}
}

func TestColorEnabled(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tt := range []struct {
		mode, noColor, force, term string
		want                       bool
	}{
		{"auto", "", "", "xterm", false}, // a file is no terminal
		{"always", "1", "", "dumb", true},
		{"never", "", "1", "xterm", false},
		{"auto", "", "1", "dumb", true},
		{"auto", "", "0", "xterm", false},
		{"auto", "1", "1", "xterm", false},
	} {
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("CLICOLOR_FORCE", tt.force)
		t.Setenv("TERM", tt.term)
		if got := ColorEnabled(file, tt.mode); got != tt.want {
			t.Errorf("%+v: got %t", tt, got)
		}
	}
	if ColorEnabled(nil, "auto") {
		t.Error("no file is coloured")
	}
}

func TestTerminalWidth(t *testing.T) {
	for columns, want := range map[string]int{"72": 72, "": DefaultWidth, "x": DefaultWidth, "-3": DefaultWidth} {
		t.Setenv("COLUMNS", columns)
		if got := TerminalWidth(nil); got != want {
			t.Errorf("COLUMNS=%q: %d, want %d", columns, got, want)
		}
	}
}
