// Package table renders one small table as text, Markdown, HTML or LaTeX. It
// is the only place that knows the table library; the rest of the module deals
// in cells.
package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Format is an output format.
type Format uint8

// The formats.
const (
	Text Format = iota
	Markdown
	HTML
	LaTeX
)

// Style says what a cell is, not how it looks; each format has its own way of
// showing it, and none relies on it alone.
type Style uint8

// The styles.
const (
	Normal Style = iota
	Best         // the best of its row
	Failed       // there is no safe plan
	Weak         // context, not result
)

// Cell is one cell. Its parts are kept apart because each format escapes the
// text, and only the text.
type Cell struct {
	Text  string
	Open  bool // marked as best known, not proven
	Note  int  // number of a footnote, 0 for none
	Style Style
}

// Table is a table with a header of one line, a body, and a foot that is set
// apart from it. Rows must be as long as the header. The first column is left
// aligned, the others right, unless they are in Left.
type Table struct {
	Head []string // "\n" breaks lines in text, and is dropped elsewhere
	Body [][]Cell
	Foot [][]Cell
	Left []int // further left-aligned columns
}

// Options say how to render.
type Options struct {
	Format Format
	Color  bool // ANSI colours; text only
	Plain  bool // ASCII words instead of symbols; text only
	Indent int  // spaces before each line; text only
}

// Render writes the table.
func (t *Table) Render(w io.Writer, o Options) error {
	for _, rows := range [][][]Cell{t.Body, t.Foot} {
		for _, row := range rows {
			if len(row) != len(t.Head) {
				return fmt.Errorf("table: row of %d cells under a header of %d", len(row), len(t.Head))
			}
		}
	}
	var buf bytes.Buffer
	if err := t.render(&buf, o); err != nil {
		return err
	}
	if o.Format != Text {
		_, err := w.Write(buf.Bytes())
		return err
	}
	return t.writeText(w, &buf, o)
}

func (t *Table) render(w io.Writer, o Options) error {
	tab := tablewriter.NewTable(w,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithTrimLine(tw.Off),
		tablewriter.WithAlignment(t.alignment()),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: t.alignment()}),
		t.renderer(o),
		layout(o),
	)
	tab.Header(t.header(o))
	for _, rows := range [][][]Cell{t.Body, t.Foot} {
		for _, row := range rows {
			line := make([]string, len(row))
			for i, c := range row {
				line[i] = c.compose(o)
			}
			if err := tab.Append(line); err != nil {
				return err
			}
		}
	}
	return tab.Render()
}

func (t *Table) renderer(o Options) tablewriter.Option {
	switch o.Format {
	case Markdown:
		return tablewriter.WithRenderer(renderer.NewMarkdown())
	case HTML:
		return tablewriter.WithRenderer(newMarkup(htmlTags, len(t.Body), len(t.Foot)))
	case LaTeX:
		return tablewriter.WithRenderer(newMarkup(latexTags, len(t.Body), len(t.Foot)))
	}
	return tablewriter.WithRendition(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleNone),
		Settings: tw.Settings{
			Separators: tw.SeparatorsNone,
			Lines:      tw.LinesNone,
		},
	})
}

func layout(o Options) tablewriter.Option {
	if o.Format == Text {
		return tablewriter.WithPadding(tw.Padding{Right: gutter, Overwrite: true})
	}
	return tablewriter.WithPadding(tw.Padding{Left: " ", Right: " ", Overwrite: true})
}

func (t *Table) alignment() tw.Alignment {
	out := make(tw.Alignment, len(t.Head))
	for i := range out {
		out[i] = tw.AlignRight
		if i == 0 {
			out[i] = tw.AlignLeft
		}
	}
	for _, i := range t.Left {
		out[i] = tw.AlignLeft
	}
	return out
}

// header returns the header cells. In text, short ones sit on the last line of
// the tallest.
func (t *Table) header(o Options) []string {
	tall := 1
	for _, h := range t.Head {
		tall = max(tall, 1+strings.Count(h, "\n"))
	}
	out := make([]string, len(t.Head))
	for i, h := range t.Head {
		if o.Format == Text {
			out[i] = strings.Repeat("\n", tall-1-strings.Count(h, "\n")) + o.Say(h)
		} else {
			out[i] = Escape(strings.ReplaceAll(h, "\n", ""), o.Format)
		}
	}
	return out
}

// Remove deletes a column.
func (t *Table) Remove(i int) {
	t.Head = slices.Delete(t.Head, i, i+1)
	for _, rows := range [][][]Cell{t.Body, t.Foot} {
		for j := range rows {
			rows[j] = slices.Delete(rows[j], i, i+1)
		}
	}
	left := t.Left[:0:0]
	for _, k := range t.Left {
		switch {
		case k < i:
			left = append(left, k)
		case k > i:
			left = append(left, k-1)
		}
	}
	t.Left = left
}
