package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/report/internal/table"
)

// mapRects draws the buffers of an arena map. What each rectangle gets depends
// on its size on paper, so that seven buffers and seven thousand need no
// settings: a label if one fits, an outline if it is not all outline, and if it
// is smaller than a pixel a share of the pixels it touches.
type mapRects struct{ *arenaMap }

const (
	pixel        = vg.Inch / pngDPI
	outlineFrom  = vg.Length(2.2) // points: the least side that is outlined
	hatchFrom    = vg.Length(4)
	hatchStep    = vg.Length(3.2)
	labelPadding = vg.Length(1.5)
	leastLabel   = 9 // characters that a shortened name must keep
)

// Plot implements plot.Plotter.
func (m mapRects) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var fill [roles]vg.Path
	var shade [roles][2]vg.Path
	var outlines, hatches vg.Path
	small := newPixels(c.Rectangle)
	rects := make([]vg.Rectangle, len(m.pieces))
	for i := range m.pieces {
		piece := &m.pieces[i]
		off := m.plan.Offsets[piece.Buffer]
		r := vg.Rectangle{
			Min: vg.Point{X: x(m.axis.at(piece.Lower)), Y: y(float64(off + piece.Low))},
			Max: vg.Point{X: x(m.axis.at(piece.Upper)), Y: y(float64(off + piece.High))},
		}
		rects[i] = r
		role := m.role(piece)
		w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
		switch {
		case min(w, h) < pixel:
			small.add(r, role)
			continue
		case min(w, h) >= outlineFrom:
			addRect(&outlines, r)
			addRect(&fill[role], r)
		default:
			addRect(&shade[role][piece.Buffer%2], r)
		}
		if role == roleTop && min(w, h) >= hatchFrom {
			hatchPath(&hatches, r, hatchStep)
		}
	}
	for role := range roles {
		fillPath(c, roleFill[role], fill[role])
		for i := range shade[role] {
			fillPath(c, roleShade[role][i], shade[role][i])
		}
	}
	small.draw(c)
	strokePath(c, topHatch, hatches)
	strokePath(c, outline, outlines)
	m.labels(c, x, y, rects)
}

// labels writes the names of the buffers where they fit, clear of the lines.
func (m mapRects) labels(c draw.Canvas, x, y func(float64) vg.Length, rects []vg.Rectangle) {
	style := textStyle(6.5, ink)
	least := style.FontExtents().Height * 0.8
	bound, peak := y(float64(m.bound)), x(m.axis.at(m.peak)+0.5)
	for i, r := range rects {
		if w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y; min(w, h) < least+2*labelPadding || max(w, h) < 2*least {
			continue
		}
		piece := &m.pieces[i]
		if m.role(piece) == roleTop {
			style.Color = black
		} else {
			style.Color = ink
		}
		r.Min.Y, r.Max.Y = clear(r.Min.Y, r.Max.Y, bound)
		if m.hasPeak {
			r.Min.X, r.Max.X = clear(r.Min.X, r.Max.X, peak)
		}
		name := table.Clean(m.table.Buffers[piece.Buffer].Name)
		if drawLabel(c, r, name, style, m.role(piece)) {
			continue
		}
		// Names of tensors repeat in their last part, so as much as fits is
		// better than that part alone.
		room := max(r.Max.X-r.Min.X, r.Max.Y-r.Min.Y) - 2*labelPadding
		if short := fitText(name, style, room); table.Width(short) >= leastLabel {
			drawLabel(c, r, short, style, m.role(piece))
		}
	}
}

// clear returns the larger part of a range that a line leaves.
func clear(low, high, line vg.Length) (vg.Length, vg.Length) {
	switch {
	case line <= low || line >= high:
		return low, high
	case line-low > high-line:
		return low, line
	}
	return line, high
}

// drawLabel writes s into the middle of r, upright if it only fits so, and
// reports whether it fits at all.
func drawLabel(c draw.Canvas, r vg.Rectangle, s string, style text.Style, role role) bool {
	w, h := r.Max.X-r.Min.X-2*labelPadding, r.Max.Y-r.Min.Y-2*labelPadding
	tw, th := style.Width(s), style.FontExtents().Height*0.8
	at := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
	style.XAlign = text.XCenter
	half := vg.Point{X: tw/2 + 1, Y: th / 2}
	switch {
	case s == "":
		return true
	case tw <= w && th <= h:
	case tw <= h && th <= w:
		style.Rotation = quarterTurn
		half.X, half.Y = half.Y, half.X
	default:
		return false
	}
	if role == roleTop { // hatched: give the text a ground
		c.SetColor(roleFill[roleTop])
		c.Fill(vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}.Path())
	}
	middle(c, style, at, s)
	return true
}

const quarterTurn = 3.14159265358979 / 2

func addRect(path *vg.Path, r vg.Rectangle) {
	path.Move(r.Min)
	path.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
	path.Line(r.Max)
	path.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	path.Close()
}
