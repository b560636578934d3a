package report

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/arenalab/arenalab/report/internal/table"
)

// Format is the format of a table.
type Format string

// The formats. Those for machines (csv, jsonl, bench) are written by package
// bench.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	LaTeX    Format = "latex"
	HTML     Format = "html"
)

// Metric is what the cells of the summary show.
type Metric string

// The metrics.
const (
	Gap           Metric = "gap"   // (arena - bound) / bound
	Arena         Metric = "arena" // bytes
	Time          Metric = "time"  // of planning
	Fragmentation Metric = "frag"  // (arena - peak live) / arena
)

// Options are the knobs of the tables. The zero value is the default.
type Options struct {
	Format  Format   // "" means Text
	Metric  Metric   // "" means Gap
	Width   int      // columns of text; 0 means DefaultWidth, the least is MinWidth
	Color   bool     // ANSI colours in text; see ColorEnabled
	Plain   bool     // words and ASCII instead of symbols in text
	Rows    int      // models shown per block; 0 means 40, negative all
	Figures []Figure // drawn into HTML
}

// The widths of text, in columns of a terminal.
const (
	DefaultWidth = 100
	MinWidth     = 40
	maxWidth     = 1000
)

const defaultRows = 40

func (o Options) check() (Options, error) {
	switch o.Format {
	case "":
		o.Format = Text
	case Text, Markdown, LaTeX, HTML:
	default:
		return o, fmt.Errorf("unknown report format %q: text, markdown, latex and html are known", string(o.Format))
	}
	switch o.Metric {
	case "":
		o.Metric = Gap
	case Gap, Arena, Time, Fragmentation:
	default:
		return o, fmt.Errorf("unknown metric %q: gap, arena, time and frag are known", string(o.Metric))
	}
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	o.Width = min(max(o.Width, MinWidth), maxWidth)
	if o.Rows == 0 {
		o.Rows = defaultRows
		if o.Format == HTML {
			o.Rows = -1
		}
	}
	return o, nil
}

func (o Options) table() table.Options {
	f := map[Format]table.Format{
		Text: table.Text, Markdown: table.Markdown, LaTeX: table.LaTeX, HTML: table.HTML,
	}[o.Format]
	return table.Options{Format: f, Color: o.Color, Plain: o.Plain, Indent: indent}
}

// ColorEnabled decides whether text written to f may be coloured. The mode is
// "always", "never", or anything else for automatic: not if NO_COLOR is set,
// yes if CLICOLOR_FORCE is, and otherwise if f is a terminal that is not dumb.
func ColorEnabled(f *os.File, mode string) bool {
	switch strings.ToLower(mode) {
	case "always":
		return true
	case "never":
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return f != nil && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// TerminalWidth returns the columns that text written to f may take: COLUMNS
// if it is set, else the width of the terminal, else DefaultWidth.
func TerminalWidth(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return DefaultWidth
}
