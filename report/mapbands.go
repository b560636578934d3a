package report

import (
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
	zero := y(0)
	var live, trapped, edge vg.Path
	for i, s := range steps {
		right := c.Max.X
		if i+1 < len(steps) {
			right = steps[i+1].x
		}
		low, high := y(float64(s.live)), y(float64(max(s.top, s.live)))
		if low > zero {
			addRect(&live, vg.Rectangle{Min: vg.Point{X: s.x, Y: zero}, Max: vg.Point{X: right, Y: low}})
		}
		if high > low {
			addRect(&trapped, vg.Rectangle{Min: vg.Point{X: s.x, Y: low}, Max: vg.Point{X: right, Y: high}})
		}
		if i == 0 {
			edge.Move(vg.Point{X: s.x, Y: low})
		} else {
			edge.Line(vg.Point{X: s.x, Y: low})
		}
		edge.Line(vg.Point{X: right, Y: low})
	}
	fillPath(c, sky, live)
	fillPath(c, orange, trapped)
	m.hatchTrapped(c, y, steps)
	strokePath(c, draw.LineStyle{Color: outline.Color, Width: vg.Points(0.6)}, edge)
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
