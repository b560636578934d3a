package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/report/internal/table"
)

const (
	panelWidth  = 2.75 * vg.Inch
	panelHeight = 1.75 * vg.Inch
)

// panels draws a panel for each contest, with one legend for all.
func panels(title string, all []*contest) Figure {
	shown, scope := moving(all)
	if len(shown) == 1 {
		return shown[0].figure(title, scope)
	}
	sub := "relative to the best lower bound; " + scope
	stated, above, boxes := 0, 0, false
	for _, c := range shown {
		stated += btoi(!c.checked)
		above += c.above()
		boxes = boxes || c.crowd() > 1
	}
	if above > 0 {
		sub += fmt.Sprintf("; %s above the axes", plural(above, "point"))
	}
	if stated > 0 {
		sub += fmt.Sprintf("; %s stated by a search, not checked", plural(stated, "bound"))
	}
	if boxes {
		sub += "; marks in a box are one point"
	}
	columns := 3
	if len(shown) <= 4 {
		columns = 2
	}
	rows := (len(shown) + columns - 1) / columns
	parts := make([]string, len(shown))
	for i, c := range shown {
		parts[i] = c.name + ": " + c.outcomes()
	}
	return Figure{
		Title: title, Caption: fmt.Sprintf("%s, %s. %s.", title, sub, strings.Join(parts, ". ")),
		width:  panelWidth*vg.Length(columns) + 1.8*vg.Inch,
		height: panelHeight*vg.Length(rows) + 0.9*vg.Inch,
		draw: func(canvas draw.Canvas) {
			drawPanels(newFrame(canvas, title, sub, 1.55*vg.Inch), shown, columns, rows)
		},
	}
}

// moving picks the contests to show: those in which a search improved on its
// first plan, if there are any. It says what it left out.
func moving(all []*contest) (shown []*contest, scope string) {
	shown = all
	if still := slices.IndexFunc(all, func(c *contest) bool { return c.steps == 0 }); still > 0 {
		shown = all[:still]
	}
	scope = fmt.Sprintf("%d of %s", min(len(shown), maxPanels), plural(len(all), "case"))
	if len(shown) > maxPanels {
		scope += ", those on which most improved"
	}
	if n := len(all) - len(shown); n > 0 {
		scope += fmt.Sprintf("; on %s no search improved its first plan", exact(int64(n)))
	}
	return shown[:min(len(shown), maxPanels)], scope
}

func drawPanels(f frame, shown []*contest, columns, rows int) {
	area := f.body
	area.Min.Y += axisLabel
	w := (area.Max.X - area.Min.X) / vg.Length(columns)
	for k := range columns {
		var column []*contest
		for i := k; i < len(shown); i += columns {
			column = append(column, shown[i])
		}
		cell := area
		cell.Min.X += w * vg.Length(k)
		cell.Max.X = cell.Min.X + w - vg.Points(10)
		drawColumn(cell, column, rows)
	}
	style := textStyle(labelSize, ink)
	style.XAlign, style.YAlign = text.XCenter, text.YBottom
	f.body.FillText(style, vg.Point{X: area.Center().X, Y: f.body.Min.Y}, shown[0].effort())
	legend(f.strip, panelLegend(shown))
}

// drawColumn draws panels with their left ends in line, from the top, each with
// room for its name above it. The last of the rows may be empty.
func drawColumn(c draw.Canvas, column []*contest, rows int) {
	const gap = legendLine + 8
	c.Min.X -= axisLabel // no panel has a label of its own
	c.Max.Y -= legendLine
	height := (c.Max.Y - c.Min.Y + gap) / vg.Length(rows)
	c.Min.Y = c.Max.Y - height*vg.Length(len(column)) + gap
	plots, shares := make([]*plot.Plot, len(column)), make([]float64, len(column))
	for i, contest := range column {
		p := newPlot()
		contest.axes(p, 4)
		p.X.Label.Text, p.Y.Label.Text = "", ""
		p.Add(grid{vertical: true, horizontal: true}, contestPlot{contest, false})
		plots[i], shares[i] = p, 1/float64(len(column))
	}
	head := bold(textStyle(tickSize, ink))
	for i, data := range drawAligned(c, gap, plots, shares) {
		at := vg.Point{X: data.Min.X, Y: c.Max.Y - height*vg.Length(i) + 4}
		c.FillText(head, at, fitText(column[i].name, head, data.Max.X-data.Min.X))
	}
}

// panelLegend lists every search that some panel tells apart.
func panelLegend(shown []*contest) []entry {
	var names []string
	bounds, passes, others := false, false, false
	for _, c := range shown {
		for i, t := range c.traces {
			if i < maxLines {
				names = append(names, t.names...)
			}
			others = others || i >= maxLines
		}
		bounds = bounds || c.lowest() < 0
		passes = passes || len(c.passes) > c.above()
	}
	slices.Sort(names)
	var out []entry
	for _, n := range slices.Compact(names) {
		l := lookOf(n)
		out = append(out, entry{label: table.Clean(n), line: l.line(), glyph: l.glyph, color: l.color})
	}
	if others {
		out = append(out, entry{label: "other searches", line: faint()})
	}
	if bounds {
		out = append(out, entry{label: "bound of a search", line: boundOf(look{color: inkSoft})})
	}
	out = append(out, entry{label: "best lower bound", line: lineBase})
	if passes {
		out = append(out, shown[0].others())
	}
	return out
}
