package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/report/internal/table"
)

var (
	// lineBase is the bound that everything is measured by. Lines that reach
	// it must still be seen on it.
	lineBase = draw.LineStyle{Color: green, Width: vg.Points(2.6)}
	passDot  = draw.GlyphStyle{Color: faintColor, Radius: vg.Points(2.2), Shape: disc}
)

// highest is the largest gap that the axis shows: all of the searches, and of
// the strategies that do not search those that are near.
func (c *contest) highest() float64 {
	lines := 0.0
	for _, t := range c.traces {
		for _, s := range t.steps {
			if s.upper > lines { // not NaN
				lines = s.upper
			}
		}
	}
	gaps := make([]float64, len(c.passes))
	for i, p := range c.passes {
		gaps[i] = p.gap
	}
	if mid := median(gaps); len(gaps) > 0 {
		return max(0.015, lines, min(mid, 3*max(lines, 0.03)))
	}
	return max(0.015, lines)
}

// above counts the strategies that the axis leaves out.
func (c *contest) above() int {
	n, top := 0, c.highest()*1.0001
	for _, p := range c.passes {
		if p.gap > top {
			n++
		}
	}
	return n
}

// lowest is the smallest gap of a lower bound, 0 if all start at the base.
func (c *contest) lowest() float64 {
	low := 0.0
	for _, t := range c.traces {
		for _, s := range t.steps {
			if s.lower < low { // not NaN
				low = s.lower
			}
		}
	}
	return low
}

// axes sets up the axes. Without a scale of effort, strategies that do not
// search stand in a gutter left of it.
func (c *contest) axes(p *plot.Plot, ticks int) {
	low, high := c.start(), 1.0
	for _, t := range c.traces {
		high = max(high, t.end)
	}
	if c.by == ByTime {
		for _, q := range c.passes {
			if q.gap <= c.highest()*1.0001 {
				low, high = min(low, q.x), max(high, q.x)
			}
		}
	}
	span := max(high/low, 2)
	p.X.Min, p.X.Max = low/math.Pow(span, 0.03), high*math.Pow(span, 0.03+0.055*float64(c.crowd()-1))
	p.X.Scale = plot.LogScale{}
	p.X.Label.Text = c.effort()
	p.X.Tick.Marker = sparse{durationTicks{}, ticks}
	if c.by == ByDecisions {
		p.X.Tick.Marker = sparse{decadeTicks{}, ticks}
	}
	if c.gutter() {
		p.X.Tick.Marker = from{p.X.Tick.Marker, low}
		p.X.Min = low / math.Pow(span, gutterShare)
	}
	p.Y.Scale = overheadScale{}
	p.Y.Tick.Marker = gapTicks{}
	p.Y.Min, p.Y.Max = min(c.lowest()*1.15, -0.002), c.highest()*1.12
	p.Y.Label.Text = "relative to the best lower bound (logarithmic from 1% on)"
}

// effort is the label of the axis.
func (c *contest) effort() string {
	if c.by == ByDecisions {
		return "placements tried (log scale)"
	}
	return "time since the start (log scale)"
}

// gutterShare is the width of the gutter, as a part of the rest of the axis.
const gutterShare = 0.09

func (c *contest) gutter() bool { return c.by == ByDecisions && len(c.passes) > 0 }

func (c *contest) draw(f frame) {
	p := newPlot()
	c.axes(p, 9)
	p.Add(grid{vertical: true, horizontal: true}, contestPlot{c, true})
	drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})
	legend(f.strip, c.legend())
}

// legend lists the searches, the best first.
func (c *contest) legend() []entry {
	var out []entry
	for i, t := range c.traces {
		if i >= maxLines {
			out = append(out, entry{label: plural(len(c.traces)-i, "other search"), line: faint()})
			break
		}
		l := lookOf(t.names[0])
		for k, n := range t.names {
			e := entry{label: table.Clean(n)}
			if k == 0 {
				e = entry{line: l.line(), glyph: l.glyph, color: l.color,
					label: fmt.Sprintf("%s (%s)", e.label, ratioCell(1+t.gap).Text)}
			} else {
				e = entry{label: e.label + ", the same", glyph: lookOf(n).glyph, color: lookOf(n).color}
			}
			out = append(out, e)
		}
	}
	if c.lowest() < 0 {
		out = append(out, entry{label: "bound of a search", line: boundOf(look{color: inkSoft})})
	}
	out = append(out, entry{label: "best lower bound", line: lineBase})
	if len(c.passes) > c.above() {
		out = append(out, c.others())
	}
	return append(out, entry{label: "( ) arena over it at the end"})
}

// others is the entry of the strategies that do not tell of progress.
func (c *contest) others() entry {
	e := entry{label: "others: one plan each", glyph: disc, color: faintColor}
	if c.gutter() {
		e.label = "others, at the left"
	}
	return e
}

// boundOf is the line of a lower bound: as that of the arena, but thin.
func boundOf(l look) draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: vg.Points(0.8), Dashes: l.dashes}
}

// contestPlot draws the lines and points of a contest.
type contestPlot struct {
	*contest
	named bool // points have names
}

// Plot implements plot.Plotter. The best is drawn last; solid lines below
// dashed ones, so that both are seen where they are one.
func (c contestPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	canvas.StrokeLine2(lineBase, canvas.Min.X, y(0), canvas.Max.X, y(0))
	places := placer{area: canvas.Rectangle}
	places.addLine(vg.Point{X: canvas.Min.X, Y: y(0)}, vg.Point{X: canvas.Max.X, Y: y(0)})
	if c.gutter() {
		at := x(c.start()) - 8
		canvas.StrokeLine2(peakLine, at, canvas.Min.Y, at, canvas.Max.Y)
		places.addLine(vg.Point{X: at, Y: canvas.Min.Y}, vg.Point{X: at, Y: canvas.Max.Y})
	}
	order := make([]int, len(c.traces))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return btoi(lookOf(c.traces[b].names[0]).dashes == nil) - btoi(lookOf(c.traces[a].names[0]).dashes == nil)
	})
	for _, i := range order {
		c.drawTrace(canvas, x, y, &places, c.traces[i], i < maxLines)
	}
	c.drawEnds(canvas, x, y)
	c.drawPasses(canvas, x, y, &places)
}

// start is the first effort that any of the searches tells of.
func (c *contest) start() float64 {
	x := math.Inf(1)
	for _, t := range c.traces {
		x = min(x, t.steps[0].x)
	}
	return x
}

func (c contestPlot) drawTrace(canvas draw.Canvas, x, y func(float64) vg.Length, places *placer, t *trace, named bool) {
	look := lookOf(t.names[0])
	upper := t.stairs(x, y, func(s traceStep) float64 { return s.upper })
	lower := t.stairs(x, y, func(s traceStep) float64 { return s.lower })
	style, bound := look.line(), boundOf(look)
	if !named {
		style, bound = faint(), faint()
	}
	if c.lowest() < 0 {
		canvas.StrokeLines(bound, lower)
	}
	canvas.StrokeLines(style, upper)
	for i := 1; i < len(upper); i++ {
		places.addLine(upper[i-1], upper[i])
	}
	if !named || len(upper) == 0 {
		return
	}
	last := vg.Point{X: -1000}
	for i := 0; i < len(upper); i += 2 { // where each step begins
		if at := upper[i]; math.Hypot(float64(at.X-last.X), float64(at.Y-last.Y)) > 7 {
			canvas.DrawGlyphNoClip(look.mark(), at)
			places.addPoint(at, 3)
			last = at
		}
	}
}

// drawEnds marks the last improvement and the end of each search, which those
// that went on must not hide. Marks of one point stand side by side in a box.
func (c contestPlot) drawEnds(canvas draw.Canvas, x, y func(float64) vg.Length) {
	var points []lastPoint
	names := map[lastPoint][]string{}
	for i, t := range c.traces {
		p := t.lastPoint()
		if i >= maxLines || math.IsNaN(p.upper) {
			continue
		}
		if names[p] == nil {
			points = append(points, p)
		}
		names[p] = append(names[p], t.names...)
		at := vg.Point{X: x(t.end), Y: y(p.upper)}
		style := draw.LineStyle{Color: lookOf(t.names[0]).color, Width: vg.Points(1.6)}
		canvas.StrokeLine2(style, at.X, at.Y-4, at.X, at.Y+4)
	}
	for i := len(points) - 1; i >= 0; i-- { // the best on top
		p := points[i]
		at := vg.Point{X: x(p.x), Y: y(p.upper)}
		if n := len(names[p]); n > 1 {
			var path vg.Path
			addRect(&path, vg.Rectangle{Min: at.Sub(vg.Point{X: 4.5, Y: 5}), Max: at.Add(vg.Point{X: 4.5 + 7*vg.Length(n-1), Y: 5})})
			fillPath(canvas, color.White, path)
			strokePath(canvas, draw.LineStyle{Color: inkSoft, Width: vg.Points(0.6)}, path)
		}
		for _, n := range names[p] {
			canvas.DrawGlyphNoClip(lookOf(n).mark(), at)
			at.X += 7
		}
	}
}

func (l look) mark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: vg.Points(2.6), Shape: l.glyph}
}

// stairs returns the two ends of every tread of a curve, those too short to see
// left out.
func (t *trace) stairs(x, y func(float64) vg.Length, value func(traceStep) float64) []vg.Point {
	var out []vg.Point
	for i, s := range t.steps {
		v := value(s)
		if math.IsNaN(v) {
			continue
		}
		right := x(t.end)
		if i+1 < len(t.steps) {
			right = x(t.steps[i+1].x)
		}
		a, b := vg.Point{X: x(s.x), Y: y(v)}, vg.Point{X: right, Y: y(v)}
		if n := len(out); n > 0 && (out[n-1].Y == a.Y || out[n-1].X-out[n-2].X < pixel/2) {
			out[n-1] = b
			if out[n-2].Y != a.Y {
				out[n-2].Y = a.Y
			}
			continue
		}
		out = append(out, a, b)
	}
	return out
}

// drawPasses draws the strategies that do not search, and names the fastest
// ones at each gap.
func (c contestPlot) drawPasses(canvas draw.Canvas, x, y func(float64) vg.Length, places *placer) {
	at := func(q pass) vg.Point {
		if c.gutter() {
			return vg.Point{X: (canvas.Min.X + x(c.start()) - 8) / 2, Y: y(q.gap)}
		}
		return vg.Point{X: x(q.x), Y: y(q.gap)}
	}
	var shown []pass
	for _, q := range c.passes {
		if q.gap <= c.highest()*1.0001 {
			shown = append(shown, q)
			canvas.DrawGlyphNoClip(passDot, at(q))
			places.addPoint(at(q), 2.5)
		}
	}
	if !c.named {
		return
	}
	style := textStyle(tickSize, inkSoft)
	style.XAlign = text.XCenter
	for _, q := range passFront(shown, c.by) {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: inkSoft, Radius: passDot.Radius, Shape: disc}, at(q))
		name := fitText(table.Clean(q.strategy), style, 1.3*vg.Inch)
		middle(canvas, style, places.place(at(q), style.Width(name), style.FontExtents().Height*0.8), name)
	}
}

// passFront returns the strategies that no other beats in both time and gap, or
// in gap alone where there is no time.
func passFront(shown []pass, by Effort) []pass {
	sorted := slices.Clone(shown)
	slices.SortStableFunc(sorted, func(a, b pass) int {
		if by == ByTime && a.x != b.x {
			return btoi(a.x > b.x) - btoi(a.x < b.x)
		}
		return btoi(a.gap > b.gap) - btoi(a.gap < b.gap)
	})
	var front []pass
	for _, q := range sorted {
		if len(front) == 0 || q.gap < front[len(front)-1].gap {
			front = append(front, q)
		}
	}
	return front
}
