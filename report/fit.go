package report

import (
	"slices"
	"strings"

	"github.com/arenalab/arenalab/report/internal/table"
)

// The least widths of the first column, in the order in which they are tried,
// and the most for a line of a header.
const (
	nameWidth      = 24
	shortNameWidth = 16
	headWidth      = 9
)

// kept are the strategies that leave a table last.
var kept = []string{"litert", "tflm"}

// fit makes the text of a table of strategies, after lead other columns, fit
// the width. The first column gives way first, then headers are broken, then
// the second of three leading columns goes, then the leftmost strategies but
// for the runtimes everybody compares with, then these, then the last leading
// column. It returns the names of the strategies dropped.
func fit(t *table.Table, o Options, lead int) (dropped []string) {
	avail := o.Width - indent
	foot := 0
	for _, row := range t.Foot {
		foot = max(foot, cellWidth(row[0], o))
	}
	fits := func(name int) bool {
		widths := t.ColumnWidths(o.table())
		widths[0] = min(widths[0], max(name, foot))
		return table.LineWidth(widths) <= avail
	}
	names := slices.Clone(t.Head)
	if !fits(nameWidth) {
		for i := 1; i < len(t.Head); i++ {
			t.Head[i] = breakHead(t.Head[i], o)
		}
	}
	if !fits(nameWidth) && lead == 3 {
		t.Remove(1)
		names = slices.Delete(names, 1, 2)
		lead--
	}
	for !fits(shortNameWidth) && len(t.Head) > lead+1 {
		i := lead
		for i < len(names)-1 && slices.Contains(kept, names[i]) {
			i++
		}
		if i == len(names)-1 {
			i = lead // the best stays
		}
		dropped = append(dropped, names[i])
		names = slices.Delete(names, i, i+1)
		t.Remove(i)
	}
	if !fits(shortNameWidth) && lead > 1 {
		t.Remove(1)
	}
	shortenNames(t, avail, o)
	return dropped
}

// shortenNames gives the first column what the others leave.
func shortenNames(t *table.Table, avail int, o Options) {
	widths := t.ColumnWidths(o.table())
	room := avail - (table.LineWidth(widths) - widths[0])
	for _, rows := range [][][]table.Cell{t.Body, t.Foot} {
		for _, row := range rows {
			text := o.table().Say(row[0].Text)
			rest := cellWidth(row[0], o) - table.Width(text)
			row[0].Text = o.table().Shorten(text, room-rest)
		}
	}
}

func cellWidth(c table.Cell, o Options) int {
	one := table.Table{Head: []string{""}, Body: [][]table.Cell{{c}}}
	return one.ColumnWidths(o.table())[0]
}

// breakHead breaks a name at its hyphens into lines of at most headWidth
// columns; longer parts are shortened.
func breakHead(name string, o Options) string {
	to := o.table()
	var lines []string
	line := ""
	for part := range strings.SplitAfterSeq(to.Say(name), "-") {
		if line != "" && table.Width(line+part) > headWidth {
			lines = append(lines, line)
			line = ""
		}
		line = to.Shorten(line+part, headWidth)
	}
	lines = append(lines, line)
	if len(lines) > 3 {
		lines = append(lines[:2], to.Shorten(strings.Join(lines[2:], ""), headWidth))
	}
	return strings.Join(lines, "\n")
}
