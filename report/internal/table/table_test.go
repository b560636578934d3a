package table

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func example() *Table {
	return &Table{
		Head: []string{"model", "bound", "greedy-\nsize", "validated"},
		Left: []int{3},
		Body: [][]Cell{
			{{Text: "a|_b"}, {Text: "120 KiB", Style: Weak}, {Text: "+3.3%", Open: true, Style: Best}, {Text: "check"}},
			{{Text: "量化 <é>"}, {}, {Text: "timeout", Note: 12, Style: Failed}, {Text: "kernels"}},
		},
		Foot: [][]Cell{{{Text: "geomean"}, {}, {Text: "×19.8"}, {}}},
	}
}

func render(t *testing.T, tab *Table, o Options) string {
	t.Helper()
	var buf bytes.Buffer
	if err := tab.Render(&buf, o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// rendered is the example in every format.
var rendered = []struct {
	name string
	o    Options
	want string
}{
	{"text", Options{Indent: 1}, `
                      greedy-
 model       bound       size  validated
 a|_b      120 KiB     +3.3%~  check
 量化 <é>           timeout¹²  kernels
 ---------------------------------------
 geomean                ×19.8
`},
	{"plain", Options{Plain: true}, `
                                    greedy-
model                    bound         size  validated
a|_b                   120 KiB   +3.3% open  check
\u91cf\u5316 <\u00e9>           timeout(12)  kernels
------------------------------------------------------
geomean                               x19.8
`},
	{"markdown", Options{Format: Markdown}, `
| model           |   bound |           greedy-size | validated |
|:----------------|--------:|----------------------:|:----------|
| a\|\_b          | 120 KiB |         **+3.3%\~**   | check     |
`},
	{"latex", Options{Format: LaTeX}, `
\begin{tabular}{lrrl}
\toprule
model & bound & greedy-size & validated \\
\midrule
a$|$\_b & 120 KiB & \textbf{+3.3\%$^{\dagger}$} & check \\
{}[U+91CF][U+5316] $<$é$>$ &  & \textit{timeout$^{12}$} & kernels \\
\midrule
geomean &  & $\times$19.8 &  \\
\bottomrule
\end{tabular}
`},
	{"html", Options{Format: HTML}, `
<table>
<thead>
<tr><th scope="col">model</th><th scope="col" class="r">bound</th><th scope="col" class="r">greedy-size</th><th scope="col">validated</th></tr>
</thead>
<tbody>
<tr><th scope="row">a|_b</th><td class="r"><span class="weak">120 KiB</span></td><td class="r"><span class="best">+3.3%~</span></td><td>check</td></tr>
<tr><th scope="row">量化 &lt;é&gt;</th><td class="r"></td><td class="r"><span class="failed">timeout<sup>12</sup></span></td><td>kernels</td></tr>
</tbody>
<tfoot>
<tr><th scope="row">geomean</th><td class="r"></td><td class="r">×19.8</td><td></td></tr>
</tfoot>
</table>
`},
}

func TestRender(t *testing.T) {
	for _, tt := range rendered {
		t.Run(tt.name, func(t *testing.T) {
			got := render(t, example(), tt.o)
			want := strings.TrimPrefix(tt.want, "\n")
			if tt.o.Format == Markdown { // the library decides on the padding
				squeeze := strings.NewReplacer(" ", "", "-", "")
				if !strings.HasPrefix(squeeze.Replace(got), squeeze.Replace(want)) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRenderColor(t *testing.T) {
	colored := render(t, example(), Options{Color: true})
	for _, want := range []string{"\x1b[32m+3.3%~\x1b[0m", "\x1b[1;31mtimeout¹²\x1b[0m"} {
		if !strings.Contains(colored, want) {
			t.Errorf("no %q in %q", want, colored)
		}
	}
	if got, want := strip(colored), render(t, example(), Options{}); got != want {
		t.Errorf("colour moves cells:\n%s\n%s", got, want)
	}
}

// strip removes ANSI colours.
func strip(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

func TestRenderRefusesRaggedRows(t *testing.T) {
	tab := example()
	tab.Foot[0] = tab.Foot[0][:3]
	if err := tab.Render(&bytes.Buffer{}, Options{}); err == nil {
		t.Error("a row of 3 cells under a header of 4 was accepted")
	}
}

func TestRemove(t *testing.T) {
	tab := example()
	tab.Left = nil
	tab.Remove(1)
	if got := render(t, tab, Options{}); strings.Contains(got, "bound") || strings.Contains(got, "120") {
		t.Errorf("column still there:\n%s", got)
	}
}

func TestEscapeLaTeX(t *testing.T) {
	for in, want := range map[string]string{
		`_%#&${}`:        `\_\%\#\&\$\{\}`,
		`~^\`:            `\textasciitilde{}\textasciicircum{}\textbackslash{}`,
		`"ß" 量`:          `\char34{}ß\char34{} [U+91CF]`,
		`a<b>c|d`:        `a$<$b$>$c$|$d`,
		`\input{x}`:      `\textbackslash{}input\{x\}`,
		`×19.8 −3µs … –`: `$\times$19.8 $-$3$\mu$s \dots{} --`,
	} {
		if got := Escape(in, LaTeX); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLaTeXRowStart(t *testing.T) {
	tab := &Table{Head: []string{"a", "b"}, Body: [][]Cell{{{Text: "量"}, {}}, {{Text: "*x"}, {}}}}
	got := render(t, tab, Options{Format: LaTeX})
	for _, want := range []string{"\n{}[U+91CF] & ", "\n{}*x & "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q: the row end before it would take it as its argument:\n%s", want, got)
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":        `a\|b`,
		"<script>":   `&lt;script&gt;`,
		"&lt;":       `&amp;lt;`,
		"@team":      `&#64;team`,
		"_a_ *b* `c": "\\_a\\_ \\*b\\* \\`c",
		"[x](y)":     `\[x\](y)`,
		`\|`:         `\\\|`,
	} {
		if got := Escape(in, Markdown); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\tc":             "a\ufffdb\ufffdc",
		"\x1b[31mred":         "\ufffd[31mred",
		"\u202eabc":           "\ufffdabc",
		"\xff":                "\ufffd",
		"e\u0301":             "e\u0301",
		"e\u0301\u0301\u0301": "e\u0301\u0301\ufffd",
		"\u0301":              "\ufffd",
		"模型 1":                "模型 1",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		in   string
		n    int
		want string
	}{
		{"abcdefghij", 10, "abcdefghij"},
		{"abcdefghijk", 10, "abcd…ghijk"},
		{"abcdefghijk", 2, "ab"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"模型模型模型", 7, "模…型"},
	}
	for _, tt := range tests {
		if got := Shorten(tt.in, tt.n); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
	if got, want := (Options{Plain: true}).Shorten("abcdefghijk", 10), "abc...hijk"; got != want {
		t.Errorf("plain: %q, want %q", got, want)
	}
}

func TestTextFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(rapid.String().Draw(t, "s"))
		n := rapid.IntRange(-1, 60).Draw(t, "n")
		o := Options{Plain: rapid.Bool().Draw(t, "plain")}
		for name, got := range map[string]string{"Shorten": o.Shorten(s, n), "Truncate": o.Truncate(s, max(n, 3))} {
			limit := max(n, 0)
			if name == "Truncate" {
				limit = max(n, 3)
			}
			if Width(got) > limit || !utf8.ValidString(got) {
				t.Fatalf("%s(%q, %d) = %q, %d columns", name, s, n, got, Width(got))
			}
		}
		for _, line := range o.Wrap(s, max(n, 10), 2) {
			if Width(line) > max(n, 10) {
				t.Fatalf("Wrap(%q, %d): line %q of %d columns", s, max(n, 10), line, Width(line))
			}
		}
	})
}

func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z]{1,8}`)).Draw(t, "words")
		lines := Options{}.Wrap(strings.Join(words, " "), 12, 2)
		if got := strings.Fields(strings.Join(lines, " ")); strings.Join(got, " ") != strings.Join(words, " ") {
			t.Fatalf("words lost: %q → %q", words, lines)
		}
	})
}

func BenchmarkRenderText(b *testing.B) {
	tab := &Table{Head: make([]string, 10)}
	for range 347 {
		row := make([]Cell, 10)
		for i := range row {
			row[i].Text = "+12.3%"
		}
		tab.Body = append(tab.Body, row)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := tab.Render(&bytes.Buffer{}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
