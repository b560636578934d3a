package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mapBands draws the live bytes of a plan and the trapped ones on top of them.
type mapBands struct{ *arenaMap }

// Plot implements plot.Plotter.
func (m mapBands) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	steps := m.columns(x)
	if len(steps) == 0 {
		return
	}
	live := stairs(steps, c.Max.X, y, func(s bandStep) int64 { return s.live })
	top := stairs(steps, c.Max.X, y, func(s bandStep) int64 { return max(s.top, s.live) })
	ground := []vg.Point{{X: c.Max.X, Y: y(0)}, {X: steps[0].x, Y: y(0)}}
	fillPath(c, sky, closed(live, ground))
	back := slices.Clone(live)
	slices.Reverse(back)
	fillPath(c, orange, closed(top, back))
	m.hatchTrapped(c, y, steps)
	c.StrokeLines(draw.LineStyle{Color: outline.Color, Width: vg.Points(0.6)}, live)
}

// stairs returns the outline of one of the bands. A single outline is far
// cheaper to fill than a rectangle per step.
func stairs(steps []bandStep, end vg.Length, y func(float64) vg.Length, value func(bandStep) int64) []vg.Point {
	points := make([]vg.Point, 0, 2*len(steps))
	for i, s := range steps {
		right := end
		if i+1 < len(steps) {
			right = steps[i+1].x
		}
		h := y(float64(value(s)))
		points = append(points, vg.Point{X: s.x, Y: h}, vg.Point{X: right, Y: h})
	}
	return points
}

// closed joins lines into a closed path.
func closed(lines ...[]vg.Point) vg.Path {
	var path vg.Path
	for _, line := range lines {
		for _, q := range line {
			if len(path) == 0 {
				path.Move(q)
			} else {
				path.Line(q)
			}
		}
	}
	path.Close()
	return path
}

// hatchTrapped hatches the trapped band: diagonal by diagonal, so that a line
// that crosses many steps is one stroke.
func (m mapBands) hatchTrapped(c draw.Canvas, y func(float64) vg.Length, steps []bandStep) {
	var path vg.Path
	first := int((c.Min.X - c.Max.Y) / hatchStep)
	last := int((c.Max.X - c.Min.Y) / hatchStep)
	for k := first; k <= last; k++ { // the line x - y = k·step
		d := hatchStep * vg.Length(k)
		from, to := vg.Length(0), vg.Length(-1)
		for i, s := range steps {
			right := c.Max.X
			if i+1 < len(steps) {
				right = steps[i+1].x
			}
			x0 := max(s.x, y(float64(s.live))+d)
			x1 := min(right, y(float64(s.top))+d)
			if x0 >= x1 {
				continue
			}
			if from <= to && x0 <= to {
				to = x1
				continue
			}
			addSegment(&path, from, to, d)
			from, to = x0, x1
		}
		addSegment(&path, from, to, d)
	}
	strokePath(c, topHatch, path)
}

func addSegment(path *vg.Path, from, to, d vg.Length) {
	if from < to {
		path.Move(vg.Point{X: from, Y: from - d})
		path.Line(vg.Point{X: to, Y: to - d})
	}
}

type bandStep struct {
	x         vg.Length
	live, top int64
}

// columns returns the steps of the band, no two of them closer than a pixel:
// of those that are, the larger values count.
func (m mapBands) columns(x func(float64) vg.Length) []bandStep {
	var out []bandStep
	live := 0
	for i, t := range m.axis.times {
		for live+1 < len(m.live.Times) && m.live.Times[live+1] <= t {
			live++
		}
		s := bandStep{x: x(m.axis.at(t)), live: m.live.Live[live], top: m.top.top[i]}
		if n := len(out); n > 0 && s.x-out[n-1].x < pixel {
			out[n-1].live = max(out[n-1].live, s.live)
			out[n-1].top = max(out[n-1].top, s.top)
			continue
		}
		out = append(out, s)
	}
	return out
}
