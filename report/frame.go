package report

import (
	"image/color"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/report/internal/table"
)

const margin = 8 // points around every figure

// frame divides a canvas into the title, the body of the plot, and a strip to
// the right for legend and direct labels, so that nothing lies on the data.
type frame struct{ body, strip draw.Canvas }

// newFrame draws the title, left aligned, with a softer line below it.
func newFrame(c draw.Canvas, title, sub string, strip vg.Length) frame {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	for _, line := range []struct {
		text  string
		style text.Style
	}{{title, bold(textStyle(titleSize, ink))}, {sub, textStyle(labelSize, inkSoft)}} {
		if line.text == "" {
			continue
		}
		line.style.YAlign = text.YTop
		s := fitText(table.Clean(line.text), line.style, c.Max.X-c.Min.X)
		c.FillText(line.style, vg.Point{X: c.Min.X, Y: top}, s)
		top -= line.style.Font.Size * 1.35
	}
	c.Max.Y = top - vg.Points(6)
	f := frame{body: c, strip: c}
	f.body.Max.X -= strip
	f.strip.Min.X = f.body.Max.X + vg.Points(8)
	return f
}

// fitText shortens s in its middle until it is no wider than room.
func fitText(s string, style text.Style, room vg.Length) string {
	if style.Width(s) <= room {
		return s
	}
	lo, hi := 0, table.Width(s)
	for lo < hi { // the longest that fits
		mid := (lo + hi + 1) / 2
		if style.Width(table.Shorten(s, mid)) <= room {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return table.Shorten(s, lo)
}

// middle writes s with the middle of its letters at the height of the point.
// The library takes the middle of the line, which is lower.
func middle(c draw.Canvas, style text.Style, at vg.Point, s string) {
	style.YAlign = text.YCenter
	shift := style.Font.Size * 0.1
	if style.Rotation == 0 {
		at.Y += shift
	} else {
		at.X -= shift
	}
	c.FillText(style, at, s)
}

// message fills a canvas with one line of text, where there is nothing to draw.
func message(c draw.Canvas, s string) {
	style := textStyle(labelSize, inkSoft)
	style.XAlign = text.XCenter
	middle(c, style, c.Center(), s)
}

// empty returns a figure that says why there is no plot.
func empty(title, why string) Figure {
	return Figure{
		Title: title, Caption: why, width: 5 * vg.Inch, height: 2 * vg.Inch,
		draw: func(c draw.Canvas) {
			f := newFrame(c, title, "", 0)
			message(f.body, why)
		},
	}
}

// entry is one line of a legend.
type entry struct {
	label string
	line  draw.LineStyle    // drawn if it has a width
	glyph draw.GlyphDrawer  // drawn if not nil
	color color.Color       // of the glyph
	fill  func(draw.Canvas) // paints a swatch, if not nil
}

const (
	legendLine  = 13 // points from line to line
	swatchWidth = 20
)

// legend draws entries from the top of the strip downwards and returns the
// height it took.
func legend(c draw.Canvas, entries []entry) vg.Length {
	style := textStyle(tickSize, ink)
	y := c.Max.Y - legendLine/2
	for _, e := range entries {
		swatch := c
		swatch.Max.X = swatch.Min.X + swatchWidth
		swatch.Min.Y, swatch.Max.Y = y-4, y+4
		if e.fill != nil {
			e.fill(swatch)
		}
		if e.line.Width > 0 {
			c.StrokeLine2(e.line, swatch.Min.X, y, swatch.Max.X, y)
		}
		if e.glyph != nil {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.color, Radius: vg.Points(3), Shape: e.glyph}, swatch.Center())
		}
		at := vg.Point{X: swatch.Max.X + 5, Y: y}
		middle(c, style, at, fitText(e.label, style, c.Max.X-at.X))
		y -= legendLine
	}
	return legendLine * vg.Length(len(entries))
}

// direct is a label at the right end of a line of the plot.
type direct struct {
	y     vg.Length // where it should be
	label string
	color color.Color
}

// directLabels draws labels beside the plot at their heights, pushed apart
// where they would overlap, and returns the lowest point that they reach.
func directLabels(c draw.Canvas, labels []direct) vg.Length {
	const line = 11
	sort.SliceStable(labels, func(i, j int) bool { return labels[i].y > labels[j].y })
	style := textStyle(tickSize, ink)
	next := c.Max.Y - line/2
	for _, l := range labels {
		y := min(l.y, next)
		style.Color = l.color
		middle(c, style, vg.Point{X: c.Min.X, Y: y}, fitText(l.label, style, c.Max.X-c.Min.X))
		next = y - line
	}
	return next + line/2
}

// drawAligned draws plots below each other with the left and right ends of
// their data in line, and returns the canvases of the data. The heights are
// shares of the whole. It draws the labels of the axes itself: the library
// makes room for them by the middle of the data, which is not that of the axis
// if the scale is not linear.
func drawAligned(c draw.Canvas, gap vg.Length, plots []*plot.Plot, shares []float64) []draw.Canvas {
	room := c.Max.Y - c.Min.Y - gap*vg.Length(len(plots)-1)
	cells := make([]draw.Canvas, len(plots))
	xLabels, yLabels := takeLabels(plots)
	c.Min.X += axisLabel
	left, right := c.Min.X, c.Max.X
	top := c.Max.Y
	for i, p := range plots {
		cells[i] = c
		cells[i].Max.Y = top
		cells[i].Min.Y = top - room*vg.Length(shares[i])
		top = cells[i].Min.Y - gap
		if xLabels[i] != "" {
			cells[i].Min.Y += axisLabel
		}
		data := p.DataCanvas(cells[i])
		left, right = max(left, data.Min.X), min(right, data.Max.X)
	}
	out := make([]draw.Canvas, len(plots))
	for i, p := range plots {
		data := p.DataCanvas(cells[i])
		cells[i].Min.X += left - data.Min.X
		cells[i].Max.X -= data.Max.X - right
		p.Draw(cells[i])
		out[i] = p.DataCanvas(cells[i])
		style := textStyle(labelSize, ink)
		style.XAlign, style.YAlign = text.XCenter, text.YBottom
		c.FillText(style, vg.Point{X: out[i].Center().X, Y: cells[i].Min.Y - axisLabel}, xLabels[i])
		style.Rotation, style.YAlign = quarterTurn, text.YTop
		c.FillText(style, vg.Point{X: c.Min.X - axisLabel, Y: out[i].Center().Y},
			fitText(yLabels[i], style, out[i].Max.Y-out[i].Min.Y+20))
	}
	return out
}

// axisLabel is the room for the label of an axis.
const axisLabel = vg.Length(15)

// takeLabels removes the labels of the axes from the plots.
func takeLabels(plots []*plot.Plot) (x, y []string) {
	for _, p := range plots {
		x, y = append(x, p.X.Label.Text), append(y, p.Y.Label.Text)
		p.X.Label.Text, p.Y.Label.Text = "", ""
	}
	return x, y
}

// hatch paints diagonal strokes over a rectangle.
func hatch(c draw.Canvas, r vg.Rectangle, style draw.LineStyle, step vg.Length) {
	c.SetLineStyle(style)
	var path vg.Path
	hatchPath(&path, r, step)
	if len(path) > 0 {
		c.Stroke(path)
	}
}

// hatchPath adds diagonals at fixed places of the canvas, so that those of
// neighbouring rectangles meet.
func hatchPath(path *vg.Path, r vg.Rectangle, step vg.Length) {
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	if w <= 0 || h <= 0 {
		return
	}
	first := int((r.Min.X - r.Max.Y) / step)
	last := int((r.Max.X - r.Min.Y) / step)
	if last-first > 10_000 {
		return
	}
	for k := first; k <= last; k++ { // the line x - y = k·step
		d := step * vg.Length(k)
		x0, x1 := max(r.Min.X, r.Min.Y+d), min(r.Max.X, r.Max.Y+d)
		if x0 < x1 {
			path.Move(vg.Point{X: x0, Y: x0 - d})
			path.Line(vg.Point{X: x1, Y: x1 - d})
		}
	}
}

// grid draws horizontal or vertical lines at the labelled ticks of an axis.
// It must be added first: plotters paint in order.
type grid struct{ vertical, horizontal bool }

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: gridColor, Width: vg.Points(0.6)}
	if g.vertical {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if at := x(t.Value); t.Label != "" && at > c.Min.X+0.5 && at <= c.Max.X+0.5 {
				c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
			}
		}
	}
	if g.horizontal {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if at := y(t.Value); t.Label != "" && at > c.Min.Y+0.5 && at <= c.Max.Y+0.5 {
				c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
			}
		}
	}
}
