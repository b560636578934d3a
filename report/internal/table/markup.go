package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter/tw"
)

// tags is what a markup language writes around cells that are escaped already.
type tags struct {
	open     func(aligns []tw.Align) string
	head     func(cells []string, aligns []tw.Align) string
	row      func(cells []string, aligns []tw.Align) string
	bodyOpen string
	footOpen string
	end      func(foot bool) string
}

// markup is a tw.Renderer for markup languages whose tables are lines between
// tags. The library hands the foot over as ordinary rows, so that it may have
// several; the renderer counts them.
type markup struct {
	tags       tags
	body, foot int // rows of each
	rows       int // seen so far
	w          io.Writer
	err        error
	started    bool
}

func newMarkup(t tags, body, foot int) *markup { return &markup{tags: t, body: body, foot: foot} }

// Start implements tw.Renderer.
func (m *markup) Start(w io.Writer) error {
	m.w = w
	return nil
}

func (m *markup) print(s string) {
	if m.err == nil {
		_, m.err = io.WriteString(m.w, s)
	}
}

// Header implements tw.Renderer.
func (m *markup) Header(headers [][]string, ctx tw.Formatting) {
	aligns := alignsOf(ctx)
	m.print(m.tags.open(aligns))
	m.started = true
	if len(headers) > 0 {
		m.print(m.tags.head(trimmed(headers[0]), aligns))
	}
}

// Row implements tw.Renderer.
func (m *markup) Row(row []string, ctx tw.Formatting) {
	switch m.rows {
	case m.body:
		m.print(m.tags.footOpen)
	case 0:
		m.print(m.tags.bodyOpen)
	}
	m.rows++
	m.print(m.tags.row(trimmed(row), alignsOf(ctx)))
}

// Footer implements tw.Renderer.
func (m *markup) Footer([][]string, tw.Formatting) {}

// Line implements tw.Renderer.
func (m *markup) Line(tw.Formatting) {}

// Config implements tw.Renderer.
func (m *markup) Config() tw.Rendition { return tw.Rendition{} }

// Logger implements tw.Renderer.
func (m *markup) Logger(*ll.Logger) {}

// Close implements tw.Renderer.
func (m *markup) Close() error {
	if m.started {
		m.print(m.tags.end(m.rows > m.body))
	}
	return m.err
}

func alignsOf(ctx tw.Formatting) []tw.Align {
	out := make([]tw.Align, len(ctx.Row.Current))
	for i := range out {
		out[i] = ctx.Row.Current[i].Align
	}
	return out
}

func trimmed(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.TrimSpace(c)
	}
	return out
}

var latexTags = tags{
	open: func(aligns []tw.Align) string {
		spec := ""
		for _, a := range aligns {
			if a == tw.AlignRight {
				spec += "r"
			} else {
				spec += "l"
			}
		}
		return `\begin{tabular}{` + spec + "}\n\\toprule\n"
	},
	head:     latexRow,
	row:      latexRow,
	bodyOpen: "\\midrule\n",
	footOpen: "\\midrule\n",
	end:      func(bool) string { return "\\bottomrule\n\\end{tabular}\n" },
}

func latexRow(cells []string, _ []tw.Align) string {
	// A cell that starts with a bracket would be read as the argument of the
	// row end before it.
	if len(cells) > 0 && (strings.HasPrefix(cells[0], "[") || strings.HasPrefix(cells[0], "*")) {
		cells[0] = "{}" + cells[0]
	}
	return strings.Join(cells, " & ") + ` \\` + "\n"
}

var htmlTags = tags{
	open: func([]tw.Align) string { return "<table>\n" },
	head: func(cells []string, aligns []tw.Align) string {
		return "<thead>\n" + htmlRow(cells, aligns, `th scope="col"`) + "</thead>\n"
	},
	row: func(cells []string, aligns []tw.Align) string {
		return htmlRow(cells, aligns, "td")
	},
	bodyOpen: "<tbody>\n",
	footOpen: "</tbody>\n<tfoot>\n",
	end: func(foot bool) string {
		if foot {
			return "</tfoot>\n</table>\n"
		}
		return "</tbody>\n</table>\n"
	},
}

func htmlRow(cells []string, aligns []tw.Align, tag string) string {
	var b strings.Builder
	b.WriteString("<tr>")
	for i, c := range cells {
		open := tag
		if i == 0 && tag == "td" {
			open = `th scope="row"`
		}
		name, _, _ := strings.Cut(open, " ")
		if i < len(aligns) && aligns[i] == tw.AlignRight {
			open += ` class="r"`
		}
		fmt.Fprintf(&b, "<%s>%s</%s>", open, c, name)
	}
	b.WriteString("</tr>\n")
	return b.String()
}
