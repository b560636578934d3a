package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Pareto draws planning time against arena over bound, a mark per strategy,
// with a line through those that no other strategy beats in both.
func Pareto(recs []bench.Record) Figure {
	const title = "Planning time against arena"
	in := newInstances(recs)
	marks := slices.DeleteFunc(slices.Clone(in.series), func(s *series) bool {
		return math.IsNaN(s.time) || math.IsNaN(s.geomean)
	})
	if len(marks) == 0 {
		return empty(title, "no strategy has both safe plans and times on all models")
	}
	front := paretoFront(marks)
	names := make([]string, len(front))
	for i, s := range front {
		names[i] = table.Clean(s.strategy)
	}
	named := in.highlights()
	for _, s := range front {
		named[s.strategy] = true
	}
	sub := "geometric means over " + in.scope()
	if n := len(marks) - len(named); n > 0 {
		sub += "; grey: " + plural(n, "other strategy")
	}
	return Figure{
		Title: title,
		Caption: title + ", " + sub + ". No other strategy is both faster and smaller than: " +
			strings.Join(names, ", ") + ".",
		width: 7 * vg.Inch, height: 4.8 * vg.Inch,
		draw: func(c draw.Canvas) { drawPareto(newFrame(c, title, sub, 0), paretoMarks{marks, front, named}) },
	}
}

// paretoFront returns the series that none beats in both time and arena, the
// fastest first.
func paretoFront(marks []*series) []*series {
	sorted := slices.Clone(marks)
	slices.SortStableFunc(sorted, func(a, b *series) int {
		switch {
		case a.time != b.time && a.time < b.time, a.time == b.time && a.geomean < b.geomean:
			return -1
		case a.time == b.time && a.geomean == b.geomean:
			return 0
		}
		return 1
	})
	var front []*series
	best := math.Inf(1)
	for _, s := range sorted {
		if s.geomean < best {
			best = s.geomean
			front = append(front, s)
		}
	}
	return front
}

func drawPareto(f frame, m paretoMarks) {
	p := newPlot()
	low, high, largest := math.Inf(1), 0.0, 1.0
	for _, s := range m.marks {
		low, high, largest = min(low, s.time), max(high, s.time), max(largest, s.geomean)
	}
	p.X.Min, p.X.Max = low/2, high*2
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = durationTicks{}
	p.X.Label.Text = "planning time (log scale)"
	overheadAxis(&p.Y, largest)
	p.Y.Max *= 1.2
	p.Y.Min = -0.0015 // so that marks at the bound stand clear of the axis
	p.Y.Label.Text = "arena above the bound (logarithmic from 1% on)"
	p.Add(grid{vertical: true, horizontal: true}, m)
	drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})
}

type paretoMarks struct {
	marks, front []*series
	named        map[string]bool
}

// Plot implements plot.Plotter.
func (m paretoMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(s *series) vg.Point { return vg.Point{X: x(s.time), Y: y(s.geomean - 1)} }
	places := placer{area: c.Rectangle}
	for i := 1; i < len(m.front); i++ {
		a, b := at(m.front[i-1]), at(m.front[i])
		corner := vg.Point{X: b.X, Y: a.Y} // until b has ended, a is all there is
		c.StrokeLines(draw.LineStyle{Color: inkSoft, Width: vg.Points(0.9), Dashes: []vg.Length{3, 2}}, []vg.Point{a, corner, b})
		places.addLine(a, corner)
		places.addLine(corner, b)
	}
	for _, s := range m.marks {
		places.addPoint(at(s), 4)
	}
	for _, s := range m.marks {
		if !m.named[s.strategy] {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: faintColor, Radius: vg.Points(2.5), Shape: disc}, at(s))
		}
	}
	style := textStyle(labelSize, ink)
	style.XAlign = text.XCenter
	for _, s := range m.marks {
		if !m.named[s.strategy] {
			continue
		}
		look := lookOf(s.strategy)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: look.color, Radius: vg.Points(4), Shape: look.glyph}, at(s))
		name := fitText(table.Clean(s.strategy), style, 1.8*vg.Inch)
		middle(c, style, places.place(at(s), style.Width(name), style.FontExtents().Height*0.8), name)
	}
}
