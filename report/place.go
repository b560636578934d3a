package report

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// placer finds places for labels beside points, so that they cover neither
// each other nor the points nor lines: eight directions, near before far.
type placer struct {
	area  vg.Rectangle
	taken []vg.Rectangle
}

// addLine keeps labels off a straight line.
func (p *placer) addLine(a, b vg.Point) {
	const step = 3
	n := int(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))/step) + 1
	for i := 0; i <= n; i++ {
		t := vg.Length(float64(i) / float64(n))
		at := vg.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
		p.taken = append(p.taken, box(at, 1, 1))
	}
}

// addPoint keeps labels off a mark.
func (p *placer) addPoint(at vg.Point, radius vg.Length) {
	p.taken = append(p.taken, box(at, radius, radius))
}

func box(at vg.Point, w, h vg.Length) vg.Rectangle {
	half := vg.Point{X: w, Y: h}
	return vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
}

// place returns the middle of a label of the given size for the point. If no
// place is free it takes the one that covers least.
func (p *placer) place(at vg.Point, w, h vg.Length) vg.Point {
	best, cost := at, math.Inf(1)
	for _, radius := range []vg.Length{7, 11, 18, 28} {
		for _, dir := range [][2]vg.Length{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			mid := vg.Point{X: at.X + dir[0]*(radius+w/2), Y: at.Y + dir[1]*(radius+h/2)}
			if c := p.cost(box(mid, w/2, h/2)); c < cost {
				best, cost = mid, c
			}
		}
		if cost == 0 {
			break
		}
	}
	p.taken = append(p.taken, box(best, w/2, h/2))
	return best
}

// cost is the area that a label would cover or leave the plot by.
func (p *placer) cost(r vg.Rectangle) float64 {
	inside := overlap(r, p.area)
	sum := 4 * (float64((r.Max.X-r.Min.X)*(r.Max.Y-r.Min.Y)) - inside)
	if sum < 1e-6 {
		sum = 0
	}
	for _, t := range p.taken {
		sum += overlap(r, t)
	}
	return sum
}

func overlap(a, b vg.Rectangle) float64 {
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return float64(w * h)
}
