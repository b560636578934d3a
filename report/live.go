package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/report/internal/table"
)

// LiveCurve is how many bytes are live while a model runs in one order.
type LiveCurve struct {
	Label string  // what the order is called
	Bytes []int64 // live at each step, from the first on
}

// Live draws the bytes that are live over the steps of a model, a curve for
// each of its operator orders: the first, what they are compared with, as an
// area. Every peak has its mark. The bound is what no order can stay below, in
// bytes; 0 if it is not known.
func Live(curves []LiveCurve, bound int64, title string) Figure {
	if title == "" {
		title = "Live bytes by operator order"
	}
	l := &liveCurves{bound: bound}
	for _, c := range curves {
		l.add(c)
	}
	if len(l.curves) == 0 {
		return empty(title, "no order has any step")
	}
	sub := l.sentence()
	parts := make([]string, len(l.curves))
	for i, c := range l.curves {
		parts[i] = fmt.Sprintf("%s peaks with %s B at step %s", c.label, exact(c.peak), exact(int64(c.at)))
	}
	return Figure{
		Title:   title,
		Caption: fmt.Sprintf("%s: %s. %s.", title, sub, strings.Join(parts, "; ")),
		width:   8.2 * vg.Inch, height: 3.9 * vg.Inch,
		draw: func(c draw.Canvas) { l.draw(newFrame(c, title, sub, 1.95*vg.Inch)) },
	}
}

type liveCurves struct {
	curves []liveCurve
	bound  int64
	steps  int // of the longest order
}

type liveCurve struct {
	label string
	bytes []int64
	peak  int64
	at    int // first step of the peak
	look  look
}

// liveLooks are those of the curves in turn. Green is the bound's.
var liveLooks = []look{
	{inkSoft, nil, square},
	{blue, nil, disc},
	{vermilion, []vg.Length{6, 2}, diamond},
	{purple, []vg.Length{5, 2, 1, 2}, pointUp},
	{black, []vg.Length{2, 1.5}, pentagon},
	{orange, []vg.Length{9, 3}, pointDown},
	{sky, []vg.Length{4, 1, 1, 1}, hexagon},
	{color.NRGBA{0x88, 0x22, 0x55, 0xFF}, []vg.Length{3, 3}, kite},
}

// otherOrder is the look of orders beyond those that can be told apart.
var otherOrder = look{faintColor, nil, disc}

// liveArea fills what lies below the first curve.
var liveArea = roleFill[roleOther]

func (l *liveCurves) add(c LiveCurve) {
	if len(c.Bytes) == 0 {
		return
	}
	peak := max(slices.Max(c.Bytes), 0)
	k := liveCurve{label: table.Clean(c.Label), bytes: c.Bytes, peak: peak, at: max(slices.Index(c.Bytes, peak), 0), look: otherOrder}
	if n := len(l.curves); n < len(liveLooks) {
		k.look = liveLooks[n]
	}
	l.curves = append(l.curves, k)
	l.steps = max(l.steps, len(c.Bytes))
}

// lowest returns the curve with the smallest peak, the first of equals.
func (l *liveCurves) lowest() *liveCurve {
	best := &l.curves[0]
	for i := range l.curves {
		if l.curves[i].peak < best.peak {
			best = &l.curves[i]
		}
	}
	return best
}

// sentence says what the orders change.
func (l *liveCurves) sentence() string {
	first, best := &l.curves[0], l.lowest()
	s := fmt.Sprintf("peak %s B", exact(first.peak))
	switch {
	case len(l.curves) == 1:
	case best == first:
		s += ", in no other order less"
	default:
		s += fmt.Sprintf(" in the %s order, %s B in the %s order", first.label, exact(best.peak), best.label)
		if first.peak > 0 {
			s += fmt.Sprintf(" (%s)", signedPercent(100*(float64(best.peak)/float64(first.peak)-1)))
		}
	}
	switch {
	case l.bound <= 0 || best.peak < l.bound:
	case best.peak == l.bound:
		s += "; no order needs less"
	default:
		s += fmt.Sprintf("; no order needs less than %s B", exact(l.bound))
	}
	return s
}

func (l *liveCurves) draw(f frame) {
	p := newPlot()
	largest := max(l.bound, 1)
	for _, c := range l.curves {
		largest = max(largest, c.peak)
	}
	p.X.Min, p.X.Max = 0, float64(l.steps)
	p.X.Tick.Marker = countTicks{10}
	p.X.Label.Text = "step (position of the operator in its order)"
	p.Y.Min, p.Y.Max = 0, float64(largest)*1.03
	p.Y.Tick.Marker = byteTicks{6}
	p.Y.Label.Text = "live bytes"
	p.Add(grid{horizontal: true}, l)
	f.body.Max.Y -= peakRow * vg.Length(len(l.labelled()))
	drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})
	legend(f.strip, l.legend())
}

func (l *liveCurves) legend() []entry {
	var out []entry
	for i, c := range l.curves {
		if i == len(liveLooks) {
			out = append(out, entry{label: plural(len(l.curves)-i, "other order"), line: l.line(i), glyph: disc, color: faintColor})
			break
		}
		e := entry{
			label: fmt.Sprintf("%s (%s)", c.label, size(c.peak)),
			line:  l.line(i), glyph: c.look.glyph, color: c.look.color,
		}
		if i == 0 {
			e.fill = swatch(liveArea, false)
		}
		out = append(out, e)
	}
	out = append(out, entry{label: "( ) peak"})
	if l.bound > 0 {
		out = append(out, entry{label: fmt.Sprintf("bound of all orders (%s)", size(l.bound)), line: lineAnyOrder})
	}
	return out
}

// lineAnyOrder is dashed, unlike the bound of one order.
var lineAnyOrder = draw.LineStyle{Color: green, Width: vg.Points(1.4), Dashes: []vg.Length{6, 3}}

// Plot implements plot.Plotter. The first curve is drawn first.
func (l *liveCurves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	lines := make([][]vg.Point, len(l.curves))
	for i := range l.curves {
		lines[i] = l.curves[i].outline(x, y)
	}
	ground := []vg.Point{{X: lines[0][len(lines[0])-1].X, Y: y(0)}, {X: x(0), Y: y(0)}}
	fillPath(c, liveArea, closed(lines[0], ground))
	if l.bound > 0 {
		at := y(float64(l.bound))
		c.StrokeLine2(lineAnyOrder, c.Min.X, at, c.Max.X, at)
	}
	for i := range l.curves {
		c.StrokeLines(l.line(i), lines[i])
	}
	l.drawPeaks(c, x, y)
}

// line is the style of a curve: thin where many steps or curves are close.
func (l *liveCurves) line(i int) draw.LineStyle {
	style := l.curves[i].look.line()
	if l.steps > 200 || len(l.curves) > 3 && !l.named(i) {
		style.Width = vg.Points(0.9)
	}
	return style
}

// named reports whether the peak of a curve has a label: of many only that of
// the first and the lowest, as more would cover each other.
func (l *liveCurves) named(i int) bool {
	return len(l.curves) <= 3 || i == 0 || &l.curves[i] == l.lowest()
}

// drawPeaks marks the peaks. Their labels stand above the data, that of the
// last peak lowest: each is right of the line to its mark, and so clear of the
// lines to those before it.
func (l *liveCurves) drawPeaks(c draw.Canvas, x, y func(float64) vg.Length) {
	at := func(k *liveCurve) vg.Point { return vg.Point{X: x(float64(k.at) + 0.5), Y: y(float64(k.peak))} }
	named := l.labelled()
	for row, k := range named {
		c.StrokeLine2(peakLine, at(k).X, at(k).Y, at(k).X, c.Max.Y+peakRow*vg.Length(row+1))
	}
	for row, k := range named {
		style := textStyle(tickSize, k.look.color)
		if contrast(k.look.color) < 4.5 {
			style.Color = ink
		}
		label := fitText(k.label+" "+size(k.peak), style, 2.2*vg.Inch)
		left := vg.Point{X: at(k).X + 4, Y: c.Max.Y + peakRow*(vg.Length(row)+0.5)}
		if style.Width(label) > c.Max.X-left.X {
			style.XAlign, left.X = text.XRight, at(k).X-4
		}
		low := left
		if style.XAlign == text.XRight {
			low.X -= style.Width(label)
		}
		c.SetColor(color.White) // the line to a mark before it may pass here
		c.Fill(vg.Rectangle{Min: low.Sub(vg.Point{Y: peakRow / 2}), Max: low.Add(vg.Point{X: style.Width(label), Y: peakRow / 2})}.Path())
		middle(c, style, left, label)
	}
	for i := range l.curves {
		k := &l.curves[i]
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: k.look.color, Radius: vg.Points(3.2), Shape: k.look.glyph}, at(k))
	}
}

// peakRow is the height of the label of a peak.
const peakRow = vg.Length(11)

// labelled returns the curves whose peaks have a label, the last peak first.
func (l *liveCurves) labelled() []*liveCurve {
	var out []*liveCurve
	for i := range l.curves {
		if l.named(i) {
			out = append(out, &l.curves[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *liveCurve) int { return cmp.Compare(b.at, a.at) })
	return out
}

// outline returns the curve as stairs. Of steps closer than a pixel the largest
// counts.
func (k *liveCurve) outline(x, y func(float64) vg.Length) []vg.Point {
	var steps []bandStep
	for i, b := range k.bytes {
		b = max(b, 0) // far from the axis there is nothing to draw
		at := x(float64(i))
		if n := len(steps); n > 0 && (at-steps[n-1].x < pixel || steps[n-1].live == b) {
			steps[n-1].live = max(steps[n-1].live, b)
			continue
		}
		steps = append(steps, bandStep{x: at, live: b})
	}
	return stairs(steps, x(float64(len(k.bytes))), y, func(s bandStep) int64 { return s.live })
}
