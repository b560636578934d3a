package report

import (
	"image/color"
	"iter"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pixels collects rectangles that are smaller than a pixel: the pixels that
// they touch are painted once, in runs, however many rectangles share them.
type pixels struct {
	area  vg.Rectangle
	w, h  int
	cells []uint8 // 0 or 1 + role, row by row from below
	used  bool
}

func newPixels(area vg.Rectangle) *pixels {
	return &pixels{
		area: area,
		w:    max(1, int(math.Ceil(float64((area.Max.X-area.Min.X)/pixel)))),
		h:    max(1, int(math.Ceil(float64((area.Max.Y-area.Min.Y)/pixel)))),
	}
}

// add marks the pixels that r touches. The more telling role wins.
func (p *pixels) add(r vg.Rectangle, role role) {
	if !p.used {
		p.cells, p.used = make([]uint8, p.w*p.h), true
	}
	index := func(v, from vg.Length, n int) int {
		return min(max(int((v-from)/pixel), 0), n-1)
	}
	x0, y0 := index(r.Min.X, p.area.Min.X, p.w), index(r.Min.Y, p.area.Min.Y, p.h)
	x1, y1 := index(r.Max.X-pixel/100, p.area.Min.X, p.w), index(r.Max.Y-pixel/100, p.area.Min.Y, p.h)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			cell := &p.cells[y*p.w+x]
			*cell = max(*cell, uint8(role)+1)
		}
	}
}

// run is a rectangle of pixels that have the same role.
type run struct {
	x0, y0, x1, y1 int
	role           role
}

// runs divides the marked pixels into runs along a row, merged upwards while
// the run stays the same. It clears the pixels.
func (p *pixels) runs() []run {
	var out []run
	if !p.used {
		return nil
	}
	for y := range p.h {
		row := p.cells[y*p.w : (y+1)*p.w]
		for x := 0; x < p.w; {
			v := row[x]
			end := x + 1
			for end < p.w && row[end] == v {
				end++
			}
			if v > 0 {
				tall := p.takeRun(x, end, y, v)
				out = append(out, run{x, y, end, y + tall, role(v - 1)})
			}
			x = end
		}
	}
	return out
}

// draw paints the runs.
func (p *pixels) draw(c draw.Canvas) {
	var paths [roles]vg.Path
	at := func(x, y int) vg.Point {
		return vg.Point{X: p.area.Min.X + pixel*vg.Length(x), Y: p.area.Min.Y + pixel*vg.Length(y)}
	}
	for _, r := range p.runs() {
		addRect(&paths[r.role], vg.Rectangle{Min: at(r.x0, r.y0), Max: at(r.x1, r.y1)})
	}
	for role := range roles {
		fillPath(c, roleShade[role][0], paths[role])
	}
}

// takeRun clears the run [x, end) of value v in row y and in the rows above it
// that have the very same run, and returns how many rows those are.
func (p *pixels) takeRun(x, end, y int, v uint8) int {
	tall := 0
	for ; y+tall < p.h; tall++ {
		row := p.cells[(y+tall)*p.w : (y+tall+1)*p.w]
		if x > 0 && row[x-1] == v || end < p.w && row[end] == v {
			break
		}
		whole := true
		for i := x; i < end && whole; i++ {
			whole = row[i] == v
		}
		if !whole {
			break
		}
		for i := x; i < end; i++ {
			row[i] = 0
		}
	}
	return tall
}

func fillPath(c draw.Canvas, col color.Color, path vg.Path) {
	c.SetColor(col)
	for part := range parts(path) {
		c.Fill(part)
	}
}

func strokePath(c draw.Canvas, style draw.LineStyle, path vg.Path) {
	c.SetLineStyle(style)
	for part := range parts(path) {
		c.Stroke(part)
	}
}

// partSize is the number of subpaths drawn at once. The rasteriser walks along
// all edges in a line of pixels to insert one, so a path of thousands of
// rectangles would take quadratic time.
const partSize = 48

// parts divides a path of many subpaths.
func parts(path vg.Path) iter.Seq[vg.Path] {
	return func(yield func(vg.Path) bool) {
		start, subpaths := 0, 0
		for i, comp := range path {
			if comp.Type != vg.MoveComp {
				continue
			}
			if subpaths == partSize {
				if !yield(path[start:i]) {
					return
				}
				start, subpaths = i, 0
			}
			subpaths++
		}
		if start < len(path) {
			yield(path[start:])
		}
	}
}
