package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// blockTable builds the table of one block, and the footnotes as they come up.
type blockTable struct {
	m       *matrix
	b       *block
	o       Options
	show    int
	first   bool // explain symbols and times, once
	notes   []note
	reasons map[string]int // error text → footnote
	cut     int            // errors that got no footnote
}

// maxReasons bounds the footnotes of failed cells.
const maxReasons = 5

func newBlockTable(m *matrix, b *block, o Options, show int, first bool) *blockTable {
	return &blockTable{m: m, b: b, o: o, show: show, first: first, reasons: map[string]int{}}
}

func (bt *blockTable) section() section {
	b := bt.b
	t := &table.Table{Head: []string{b.noun(), "bufs", "bound"}}
	for _, c := range b.columns {
		t.Head = append(t.Head, table.Clean(c.strategy))
	}
	rows, heading := bt.pick()
	for _, r := range rows {
		line := []table.Cell{
			{Text: r.name},
			{Text: fmt.Sprint(r.buffers), Style: table.Weak},
			{Text: size(r.bound)},
		}
		for _, c := range b.columns {
			line = append(line, bt.cell(r, c))
		}
		t.Body = append(t.Body, line)
	}
	if n := len(b.rows) - len(rows); n > 0 {
		line := make([]table.Cell, len(t.Head))
		line[0] = table.Cell{Text: fmt.Sprintf("[%s]", others(n)), Style: table.Weak}
		t.Body = append(t.Body, line)
	}
	t.Foot = bt.foot()
	s := section{heading: heading, table: t}
	if bt.o.Format == Text {
		s.notes = droppedNote(fit(t, bt.o, 3))
	}
	if bt.cut > 0 {
		bt.notes = append(bt.notes, note{text: fmt.Sprintf("[%s of failed cells: see -format csv]", others(bt.cut))})
	}
	s.notes = append(s.notes, bt.notes...)
	if bt.o.Metric == Arena && len(rows) <= mostExact {
		for _, r := range rows {
			s.notes = append(s.notes, bt.b.needs(r)...)
		}
		s.notes = append(s.notes, bt.b.besides()...)
	}
	return s
}

// droppedNote tells which columns did not fit.
func droppedNote(names []string) []note {
	if len(names) == 0 {
		return nil
	}
	noun := "strategies"
	if len(names) == 1 {
		noun = "strategy"
	}
	return []note{{text: fmt.Sprintf("… %d more %s (%s), see -format csv", len(names), noun, list(names, 6))}}
}

// list joins names, at most so many of them.
func list(names []string, most int) string {
	short := make([]string, 0, most)
	for i, n := range names {
		if i == most {
			return strings.Join(short, ", ") + fmt.Sprintf(" [%s]", others(len(names)-most))
		}
		short = append(short, table.Shorten(n, 40))
	}
	return strings.Join(short, ", ")
}

// pick returns the rows to show, in input order, and the heading.
func (bt *blockTable) pick() ([]*row, string) {
	heading := map[Metric]string{
		Gap: "gap to the proven bound", Arena: "arena, in the unit of the bound",
		Time: "planning time", Fragmentation: "fragmentation, (arena − peak live bytes) / arena",
	}[bt.o.Metric]
	if len(bt.m.blocks) > 1 {
		heading += ", " + bt.b.words()
	}
	rows := bt.b.rows
	if len(rows) > bt.show {
		ref := bt.b.reference()
		rows = widest(rows, ref, bt.show)
		heading += fmt.Sprintf("; of %s the %d where %s is farthest from it",
			plural(len(bt.b.rows), bt.b.noun()), bt.show, table.Shorten(table.Clean(ref), 24))
		if bt.o.Metric != Gap {
			heading = strings.Replace(heading, "from it", "from the bound", 1)
		}
	}
	if bt.first {
		heading += bt.symbols()
	}
	return rows, heading
}

func (bt *blockTable) symbols() string {
	meets, open := "=", "~"
	if bt.o.Plain && bt.o.Format == Text {
		meets, open = "optimal", "open"
	}
	if bt.o.Format == LaTeX {
		open = "dagger"
	}
	switch bt.o.Metric {
	case Gap:
		return fmt.Sprintf(" (%s meets it, %s best known, not proven; ×n from 2× on)", meets, open)
	case Arena:
		return fmt.Sprintf(" (%s meets the bound, %s best known, not proven)", meets, open)
	}
	return ""
}

// reference returns the strategy that most devices run today, if it is there,
// or else the one in the middle.
func (b *block) reference() string {
	wanted := []string{"litert", "tflm"}
	if b.profile == "tflm" {
		slices.Reverse(wanted)
	}
	for _, name := range append(wanted, "greedy-size", "first-fit") {
		for _, c := range b.columns {
			if c.strategy == name && c.safe > 0 {
				return name
			}
		}
	}
	if len(b.columns) == 0 {
		return ""
	}
	return b.columns[len(b.columns)/2].strategy
}

// widest returns the n rows with the largest gap of the strategy, in their
// order; rows without a plan of it come last.
func widest(rows []*row, strategy string, n int) []*row {
	index := make([]int, len(rows))
	gap := make([]float64, len(rows))
	for i, r := range rows {
		index[i] = i
		gap[i], _ = r.ratio(strategy)
	}
	sort.SliceStable(index, func(a, b int) bool { return gap[index[a]] > gap[index[b]] })
	index = index[:n]
	sort.Ints(index)
	out := make([]*row, n)
	for i, k := range index {
		out[i] = rows[k]
	}
	return out
}

func (bt *blockTable) cell(r *row, c *column) table.Cell {
	rec := r.cells[c.strategy]
	if rec == nil {
		return table.Cell{Text: "–", Style: table.Weak}
	}
	if !safe(rec) {
		return table.Cell{Text: statusWord(rec), Style: table.Failed, Note: bt.reasonNote(rec)}
	}
	best := rec.ArenaBytes == r.best && len(r.cells) > 1
	out := table.Cell{}
	if best {
		out.Style = table.Best
	}
	switch bt.o.Metric {
	case Time:
		return table.Cell{Text: duration(rec.PlanNS)}
	case Fragmentation:
		return table.Cell{Text: percent(rec.Fragmentation)}
	case Arena:
		out.Text = sizeLike(rec.ArenaBytes, r.bound)
		if rec.ArenaBytes == r.bound {
			out.Text += bt.meets(" ")
		}
	default:
		ratio, ok := r.ratio(c.strategy)
		switch {
		case !ok:
			out.Text = "–"
		case rec.ArenaBytes == r.bound:
			out.Text = strings.TrimSpace(bt.meets(""))
		default:
			out.Text = overhead(ratio)
		}
	}
	out.Open = rec.ArenaBytes == r.best && rec.ArenaBytes > r.bound
	return out
}

// meets is the mark of an arena that equals its bound.
func (bt *blockTable) meets(space string) string {
	if bt.o.Plain && bt.o.Format == Text {
		return space + "optimal"
	}
	return "="
}

// reasonNote returns the footnote with the error of the cell.
func (bt *blockTable) reasonNote(rec *bench.Record) int {
	if rec.Error == "" {
		return 0
	}
	text := reason(rec)
	if n, ok := bt.reasons[text]; ok {
		return n
	}
	if len(bt.reasons) == maxReasons {
		bt.cut++
		return 0
	}
	n := bt.addNote(bt.o.table().Truncate(text, 300))
	bt.reasons[text] = n
	return n
}

func (bt *blockTable) addNote(text string) int {
	n := 1
	for _, old := range bt.notes {
		n = max(n, old.number+1)
	}
	bt.notes = append(bt.notes, note{n, text})
	return n
}

// foot returns the aggregate rows.
func (bt *blockTable) foot() [][]table.Cell {
	b := bt.b
	if len(b.common) < 2 && len(b.common) == len(b.rows) {
		return bt.footRows(bt.timeRows()...) // aggregates of one model say nothing
	}
	common := bt.commonNote()
	num := func(f func(c *column) float64, format func(float64) string) func(*column) string {
		return func(c *column) string {
			if x := f(c); !math.IsNaN(x) {
				return format(x)
			}
			return "–"
		}
	}
	count := func(f func(c *column) string) func(*column) string {
		return func(c *column) string {
			if math.IsNaN(c.geomean) {
				return "–"
			}
			return f(c)
		}
	}
	ratio := func(x float64) string { return ratioCell(x).Text }
	switch bt.o.Metric {
	case Time:
		return bt.footRows(
			footRow{"median", common, num(func(c *column) float64 { return c.time }, duration)},
			footRow{"longest", 0, num(func(c *column) float64 { return c.timeWorst }, duration)})
	case Fragmentation:
		return bt.footRows(
			footRow{"median", common, num(func(c *column) float64 { return c.frag }, percent)},
			footRow{"worst", 0, num(func(c *column) float64 { return c.fragWorst }, percent)})
	}
	rows := []footRow{
		{"geomean over bound", common, num(func(c *column) float64 { return c.geomean }, ratio)},
		{"worst", 0, num(func(c *column) float64 { return c.worst }, ratio)},
		{"meets the bound", 0, count(func(c *column) string { return fmt.Sprint(c.meets) })},
		{"best (alone)", 0, count(func(c *column) string { return fmt.Sprintf("%d (%d)", c.best, c.alone) })},
	}
	return bt.footRows(append(rows, bt.timeRows()...)...)
}

type footRow struct {
	label string
	note  int
	value func(*column) string
}

// timeRows is the row of planning times, if they were measured: a single run
// that also warms up the caches is no measurement.
func (bt *blockTable) timeRows() []footRow {
	if bt.m.reps[1] < 2 {
		return nil
	}
	n := 0
	if bt.first {
		n = bt.timeNote()
	}
	return []footRow{{"plan time, median", n, func(c *column) string { return duration(c.time) }}}
}

func (bt *blockTable) footRows(rows ...footRow) [][]table.Cell {
	var out [][]table.Cell
	for _, r := range rows {
		line := []table.Cell{{Text: r.label, Note: r.note}, {}, {}}
		for _, c := range bt.b.columns {
			line = append(line, table.Cell{Text: r.value(c)})
		}
		out = append(out, line)
	}
	return out
}

// commonNote names what the aggregates leave out.
func (bt *blockTable) commonNote() int {
	b := bt.b
	var never, left []string
	for _, c := range b.columns {
		if c.safe == 0 {
			never = append(never, table.Clean(c.strategy))
		}
	}
	for _, r := range b.left {
		left = append(left, r.name)
	}
	var parts []string
	if len(left) > 0 {
		parts = append(parts, fmt.Sprintf("over the %d of %s where every strategy has a safe plan, without %s",
			len(b.common), plural(len(b.common)+len(b.left), b.noun()), list(left, 3)))
	}
	if len(never) > 0 {
		parts = append(parts, "no safe plan at all: "+list(never, 6))
	}
	if n := b.twins(); n > 0 {
		parts = append(parts, plural(n, b.noun())+" with the same bytes as another not counted")
	}
	if len(parts) == 0 {
		return 0
	}
	return bt.addNote("aggregates: " + strings.Join(parts, "; "))
}

// timeNote says how times were measured.
func (bt *blockTable) timeNote() int {
	reps := bt.m.reps
	if reps[1] == 0 {
		return 0
	}
	runs := plural(reps[1], "run")
	if reps[0] != reps[1] {
		runs = fmt.Sprintf("%d to %d runs", reps[0], reps[1])
	}
	text := "a cell's time is the median of " + runs
	if h := bt.m.host; h.CPU != "" {
		text += " on " + bt.o.table().Truncate(table.Clean(h.CPU), 60)
	}
	return bt.addNote(text)
}
