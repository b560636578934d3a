package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/arenalab/arenalab/report/internal/table"
)

// indent is how far tables stand in from the margin of text.
const indent = 2

// document is a report before it has a format.
type document struct {
	title    string // what was compared
	counts   string // stands at the right end of the title in text
	sections []section
	closing  []string // paragraphs at the end: the verdict last
}

// section is a table with a line above it and notes below.
type section struct {
	heading string
	table   *table.Table
	notes   []note
	// list holds lines that are not a table. Unlike notes they are cut, not
	// wrapped.
	list []string
}

// note is a line below a table, with the number of a footnote or 0.
type note struct {
	number int
	text   string
}

// write renders the document. Text is fitted to the width before.
func (d *document) write(w io.Writer, o Options) error {
	var buf bytes.Buffer
	var err error
	switch o.Format {
	case Markdown:
		err = d.markdown(&buf, o)
	case LaTeX:
		err = d.latex(&buf, o)
	case HTML:
		err = d.html(&buf, o)
	default:
		err = d.text(&buf, o)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func (d *document) text(buf *bytes.Buffer, o Options) error {
	to := o.table()
	paragraph := func(s string, indent int) {
		for _, line := range to.Wrap(s, o.Width, indent) {
			fmt.Fprintln(buf, line)
		}
	}
	if d.title != "" {
		title, counts := to.Say(d.title), to.Say(d.counts)
		space := d.width(o) - table.Width(title) - table.Width(counts)
		if counts != "" && space >= 2 {
			fmt.Fprintln(buf, title+strings.Repeat(" ", space)+counts)
		} else {
			paragraph(title, indent)
			paragraph(counts, indent)
		}
	}
	for _, s := range d.sections {
		if buf.Len() > 0 {
			fmt.Fprintln(buf)
		}
		paragraph(s.heading, indent)
		if s.table != nil {
			if err := s.table.Render(buf, to); err != nil {
				return err
			}
		}
		for _, line := range s.list {
			fmt.Fprintln(buf, to.Truncate(strings.Repeat(" ", indent)+line, o.Width))
		}
		for _, n := range s.notes {
			mark := ""
			if n.number > 0 {
				mark = table.Superscript(n.number, to) + " "
			}
			paragraph(mark+n.text, indent)
		}
	}
	for i, p := range d.closing {
		if i == 0 && buf.Len() > 0 {
			fmt.Fprintln(buf)
		}
		paragraph(p, indent)
	}
	return nil
}

// width is that of the widest table, or of the terminal if the title needs it.
func (d *document) width(o Options) int {
	need := table.Width(d.title) + table.Width(d.counts) + 2
	for _, s := range d.sections {
		if s.table != nil {
			need = max(need, indent+table.LineWidth(s.table.ColumnWidths(o.table())))
		}
	}
	return min(need, o.Width)
}

func (d *document) markdown(buf *bytes.Buffer, o Options) error {
	esc := func(s string) string { return table.Escape(s, table.Markdown) }
	if d.title != "" {
		fmt.Fprintf(buf, "### %s\n\n", esc(d.title))
	}
	if d.counts != "" {
		fmt.Fprintf(buf, "%s\n\n", esc(d.counts))
	}
	for _, s := range d.sections {
		if s.heading != "" {
			fmt.Fprintf(buf, "%s\n\n", esc(s.heading))
		}
		if s.table != nil {
			if err := s.table.Render(buf, o.table()); err != nil {
				return err
			}
			fmt.Fprintln(buf)
		}
		for _, line := range s.list {
			fmt.Fprintf(buf, "- %s\n", esc(line))
		}
		if len(s.list) > 0 {
			fmt.Fprintln(buf)
		}
		for _, n := range s.notes {
			if n.number > 0 {
				buf.WriteString(table.Superscript(n.number, o.table()) + " ")
			}
			fmt.Fprintf(buf, "%s\n\n", esc(n.text))
		}
	}
	for _, p := range d.closing {
		fmt.Fprintf(buf, "%s\n\n", esc(p))
	}
	buf.Truncate(len(bytes.TrimRight(buf.Bytes(), "\n")))
	buf.WriteByte('\n')
	return nil
}

// latex writes tables that can be included as they are; all words about them
// are comments, for the author to put into the caption.
func (d *document) latex(buf *bytes.Buffer, o Options) error {
	out := bufio.NewWriter(buf)
	comment := func(s string) {
		for _, line := range o.table().Wrap(s, DefaultWidth-2, indent) {
			fmt.Fprintf(out, "%% %s\n", line)
		}
	}
	comment(d.title)
	comment(d.counts)
	for _, s := range d.sections {
		comment(s.heading)
		if s.table != nil {
			if err := s.table.Render(out, o.table()); err != nil {
				return err
			}
		}
		for _, line := range s.list {
			comment(line)
		}
		for _, n := range s.notes {
			if n.number > 0 {
				n.text = fmt.Sprintf("%d: %s", n.number, n.text)
			}
			comment(n.text)
		}
	}
	for _, p := range d.closing {
		comment(p)
	}
	return out.Flush()
}
