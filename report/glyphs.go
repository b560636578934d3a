package report

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape is a filled glyph: the corners of a polygon, in radii from its middle.
// It has a thin outline, without which light colours are lost on white.
type shape [][2]float64

// The glyphs of strategies.
var (
	disc       = regular(24, 0, 0.95)
	square     = regular(4, 1./8, 1.2)
	diamond    = regular(4, 0, 1.25)
	pentagon   = regular(5, 1./4, 1.15)
	pointUp    = regular(3, 1./4, 1.25)
	pointDown  = regular(3, 3./4, 1.25)
	pointRight = regular(3, 0, 1.25)
	pointLeft  = regular(3, 1./2, 1.25)
	bar        = shape{{-1.2, -0.5}, {1.2, -0.5}, {1.2, 0.5}, {-1.2, 0.5}}
	kite       = shape{{0, 1.45}, {0.75, 0}, {0, -1.45}, {-0.75, 0}}
	hourglass  = shape{{-1.1, 1.1}, {1.1, 1.1}, {-1.1, -1.1}, {1.1, -1.1}}
	hexagon    = regular(6, 0, 1.1)
	sparkle    = starred(4, 1.5, 0.55)
	star       = starred(5, 1.35, 0.55)
)

// regular returns a polygon of n corners, the first at the given part of a
// turn from the right.
func regular(n int, turn, radius float64) shape {
	var s shape
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * (turn + float64(i)/float64(n)))
		s = append(s, [2]float64{radius * cos, radius * sin})
	}
	return s
}

// starred returns a star of n points.
func starred(n int, outer, inner float64) shape {
	var s shape
	for i := range 2 * n {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		sin, cos := math.Sincos(math.Pi * (0.5 + float64(i)/float64(n)))
		s = append(s, [2]float64{r * cos, r * sin})
	}
	return s
}

// DrawGlyph implements draw.GlyphDrawer.
func (s shape) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, p := range s {
		q := vg.Point{X: at.X + style.Radius*vg.Length(p[0]), Y: at.Y + style.Radius*vg.Length(p[1])}
		if i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	path.Close()
	c.SetColor(style.Color)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: vg.Points(0.4)})
	c.Stroke(path)
}
