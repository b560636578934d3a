package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report/internal/table"
)

// hostile are names that break formats which do not escape them.
var hostile = []string{
	"</script><script>alert(1)</script>", "a|b|c", `\end{tabular}`, "_%#&${}~^\\", "**bold** _it_ `code`",
	"line\nbreak\r\n", "tab\tand\x1b[31mred\x1b[0m", "\u202eright-to-left", "模型/量化.tflite", "e\u0301\u0301\u0301\u0301",
	"[link](http://x)", "[", "", " ", "@everyone", "<!-- -->", strings.Repeat("long", 1024), "\xff\xfe", "\x00", "👩‍👩‍👧",
	"-", "--------------------------------", "&amp;", "'\"", "=cmd()",
}

func drawName(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom(hostile),
		rapid.StringMatching(`[a-z_]{1,12}(/[a-z0-9_-]{1,40})?`),
		rapid.String(),
	).Draw(t, label)
}

func drawBytes(t *rapid.T, label string) int64 {
	return rapid.OneOf(
		rapid.Int64Range(0, 3), rapid.Int64Range(0, 1<<22), rapid.Int64Range(0, math.MaxInt64/4),
		rapid.Just(int64(math.MaxInt64)), rapid.Just(int64(-1)),
	).Draw(t, label)
}

// drawRecords draws runs that no benchmark would give: any status, any bytes,
// times that are not numbers, cells that are missing or double.
func drawRecords(t *rapid.T) []bench.Record {
	models := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawName(t, "model") }), 0, 50).Draw(t, "models")
	strategies := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawName(t, "strategy") }), 0, 9).Draw(t, "strategies")
	orders := rapid.SliceOfN(rapid.SampledFrom([]string{"stored", "greedy-bytes", "a|b"}), 1, 3).Draw(t, "orders")
	whole := rapid.Bool().Draw(t, "whole")
	var out []bench.Record
	for _, m := range models {
		bound := drawBytes(t, "bound")
		for _, o := range orders {
			for _, s := range strategies {
				rec := cell(m, s, 7, bound, bound, 1000)
				rec.Order, rec.Status = o, lifetime.Feasible
				if !whole {
					scramble(t, &rec)
				} else if bound > 0 && bound < 1<<40 {
					rec.ArenaBytes += rapid.Int64Range(0, 20*bound).Draw(t, "excess")
				}
				out = append(out, rec)
			}
		}
	}
	return out
}

func scramble(t *rapid.T, rec *bench.Record) {
	rec.ArenaBytes = drawBytes(t, "arena")
	rec.LowerBoundBytes = drawBytes(t, "bound")
	rec.Status = lifetime.Status(rapid.IntRange(0, 5).Draw(t, "status"))
	rec.Validated = rapid.SampledFrom([]string{"", "check", "symbolic"}).Draw(t, "validated")
	rec.Error = rapid.SampledFrom(hostile).Draw(t, "error")
	rec.PlanNS = rapid.SampledFrom([]float64{0, -1, 3, 1e9, 1e18, math.NaN(), math.Inf(1)}).Draw(t, "time")
	rec.Fragmentation = rapid.SampledFrom([]float64{0, 0.5, -3, math.NaN(), math.Inf(-1)}).Draw(t, "frag")
	rec.Source = rapid.SampledFrom([]string{"model", "table", ""}).Draw(t, "source")
	rec.PlanReps = rapid.IntRange(-1, 3).Draw(t, "reps")
}

func drawOptions(t *rapid.T) Options {
	return Options{
		Metric: rapid.SampledFrom([]Metric{"", Gap, Arena, Time, Fragmentation}).Draw(t, "metric"),
		Width:  rapid.IntRange(0, 240).Draw(t, "width"),
		Color:  rapid.Bool().Draw(t, "color"),
		Plain:  rapid.Bool().Draw(t, "plain"),
		Rows:   rapid.SampledFrom([]int{0, 5, -1}).Draw(t, "rows"),
	}
}

func TestTextKeepsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs, o := drawRecords(t), drawOptions(t)
		limit := o.Width
		if limit == 0 {
			limit = DefaultWidth
		}
		limit = max(limit, MinWidth)
		for _, write := range []func(io.Writer, []bench.Record, Options) error{Summary, Details} {
			var buf bytes.Buffer
			if err := write(&buf, recs, o); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(buf.String(), "\n") {
				if w := table.Width(line); w > limit {
					t.Fatalf("line of %d columns, at most %d are allowed: %q", w, limit, line)
				}
				if !o.Color && strings.ContainsRune(line, '\x1b') {
					t.Fatalf("escape without colour: %q", line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Fatalf("trailing space: %q", line)
				}
			}
			if o.Plain && strings.ContainsFunc(buf.String(), func(r rune) bool { return r > 126 }) {
				t.Fatalf("not ASCII: %q", buf.String())
			}
		}
	})
}

func TestSummaryIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs, o := drawRecords(t), drawOptions(t)
		o.Format = rapid.SampledFrom([]Format{Text, Markdown, LaTeX, HTML}).Draw(t, "format")
		var a, b bytes.Buffer
		if err := errors.Join(Summary(&a, recs, o), Summary(&b, recs, o)); err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() {
			t.Fatalf("two runs differ: %s", cmp.Diff(a.String(), b.String()))
		}
	})
}

// TestMarkupKeepsColumns holds the cells of every row of every format to the
// number of columns, whatever the names are.
func TestMarkupKeepsColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := drawRecords(t)
		columns := -1
		var buf bytes.Buffer
		if err := Summary(&buf, recs, Options{Format: Markdown}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(buf.String(), "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = -1
				continue
			}
			n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|")
			if columns >= 0 && n != columns {
				t.Fatalf("row with %d bars under a header with %d: %q", n, columns, line)
			}
			columns = n
		}
		buf.Reset()
		if err := Summary(&buf, recs, Options{Format: LaTeX}); err != nil {
			t.Fatal(err)
		}
		checkLaTeX(t, buf.String())
	})
}

// checkLaTeX reads a table as TeX would, as far as special characters go.
func checkLaTeX(t *rapid.T, src string) {
	columns := 0
	for line := range strings.SplitSeq(src, "\n") {
		if strings.HasPrefix(line, "% ") || line == "" {
			continue
		}
		if spec, ok := strings.CutPrefix(line, `\begin{tabular}{`); ok {
			columns = len(strings.TrimSuffix(spec, "}"))
			continue
		}
		if strings.HasPrefix(line, `\toprule`) || strings.HasPrefix(line, `\midrule`) ||
			strings.HasPrefix(line, `\bottomrule`) || line == `\end{tabular}` {
			continue
		}
		row, ok := strings.CutSuffix(line, ` \\`)
		if !ok {
			t.Fatalf("not a row: %q", line)
		}
		cells, depth, math := 1, 0, false
		for i := 0; i < len(row); i++ {
			switch row[i] {
			case '\\':
				i++ // an escaped character, or the first letter of a command
			case '{':
				depth++
			case '}':
				depth--
			case '$':
				math = !math
			case '&':
				cells++
			case '^', '_':
				if !math {
					t.Fatalf("%q outside of mathematics: %q", row[i], row)
				}
			case '%', '#', '~':
				t.Fatalf("unescaped %q: %q", row[i], row)
			}
			if depth < 0 {
				t.Fatalf("unbalanced braces: %q", row)
			}
		}
		if cells != columns || depth != 0 || math {
			t.Fatalf("%d cells of %d, depth %d, mathematics open %t: %q", cells, columns, depth, math, row)
		}
	}
}

// TestHTMLIsInert parses the page strictly: no element but those of the
// template may appear, whatever the names are.
func TestHTMLIsInert(t *testing.T) {
	known := map[string]bool{}
	for _, name := range strings.Fields(`html head meta title style body main h1 h2 p strong section div table
		thead tbody tfoot tr th td span sup ul li figure figcaption`) {
		known[name] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		var buf bytes.Buffer
		if err := Summary(&buf, drawRecords(t), Options{Format: HTML}); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&buf)
		d.Strict = false
		d.AutoClose = []string{"meta"}
		d.Entity = xml.HTMLEntity
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok && !known[e.Name.Local] {
				t.Fatalf("element %q", e.Name.Local)
			}
		}
	})
}

func TestFormatsShowTheSameNumbers(t *testing.T) {
	recs := sevenBySix()
	m := newMatrix(recs)
	for format, word := range map[Format]func(string) string{
		Text:     func(s string) string { return s },
		Markdown: func(s string) string { return table.Escape(s, table.Markdown) },
		LaTeX:    func(s string) string { return table.Escape(s, table.LaTeX) },
		HTML:     func(s string) string { return table.Escape(s, table.HTML) },
	} {
		var buf bytes.Buffer
		if err := Summary(&buf, recs, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		for _, r := range m.blocks[0].rows {
			for _, c := range m.blocks[0].columns {
				ratio, _ := r.ratio(c.strategy)
				if want := word(ratioCell(ratio).Text); !strings.Contains(buf.String(), want) {
					t.Errorf("%s: no %q of %s and %s", format, want, r.name, c.strategy)
				}
			}
		}
	}
}
