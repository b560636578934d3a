package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

const (
	groupsUpTo = 6  // models drawn as groups of bars
	dotsUpTo   = 60 // models drawn as a dot each
)

// Bars draws how far the strategies are above the bound: grouped bars for a few
// models; for more of them the geometric mean of each strategy with a dot per
// model; and for many the spread as a box.
func Bars(recs []bench.Record) Figure {
	const title = "Arena over the proven bound"
	in := newInstances(recs)
	if len(in.names) == 0 {
		return empty(title, "no model has a safe plan of every strategy")
	}
	fig := Figure{Title: title, width: 8 * vg.Inch}
	fig.Caption = title + " for " + in.scope() + ": " + in.means() + "."
	if len(in.names) <= groupsUpTo && len(in.series) <= maxHighlights+2 {
		fig.height = 1.3*vg.Inch + vg.Length(len(in.names))*(vg.Length(len(in.series))*groupBar+groupGap)
		fig.draw = func(c draw.Canvas) { in.drawGroups(newFrame(c, title, in.scope(), 2*vg.Inch)) }
		return fig
	}
	what := "bar: geometric mean; a dot a " + in.noun
	if len(in.names) > dotsUpTo {
		what = "diamond: geometric mean; box: quartiles and median; whiskers: 5% to 95%; a tick a " + in.noun
	}
	sub := in.scope() + "; " + what
	fig.height = 1.5*vg.Inch + vg.Length(len(in.series))*in.rowHeight()
	fig.draw = func(c draw.Canvas) { in.drawRows(newFrame(c, title, sub, 1.35*vg.Inch)) }
	return fig
}

// means lists the geometric means from the best to the worst.
func (in *instances) means() string {
	parts := make([]string, 0, len(in.series))
	for i := len(in.series) - 1; i >= 0; i-- {
		s := in.series[i]
		parts = append(parts, table.Clean(s.strategy)+" "+ratioCell(s.geomean).Text)
	}
	return "geometric mean " + strings.Join(parts, ", ")
}

// overheadAxis sets up an axis of ratios less one, up to the largest.
func overheadAxis(a *plot.Axis, largest float64) {
	a.Min, a.Max = 0, max(largest-1, 0.02)
	a.Scale = overheadScale{}
	a.Tick.Marker = overheadTicks{}
	a.Max *= 1.08
}

func (in *instances) largest() float64 {
	x := 1.0
	for _, s := range in.series {
		x = max(x, s.geomean, slices.Max(s.ratio))
	}
	return x
}

// rowHeight is that of a strategy's row: many rows are drawn close.
func (in *instances) rowHeight() vg.Length {
	if len(in.series) > 2*maxHighlights {
		return 17
	}
	return 34
}

const (
	groupBar = vg.Length(10)
	groupGap = vg.Length(12)
)

// nominal labels rows 0, 1, … from the top.
func nominal(p *plot.Plot, names []string) {
	ticks := make([]plot.Tick, len(names))
	for i, n := range names {
		ticks[i] = plot.Tick{Value: -float64(i), Label: fitText(table.Clean(n), p.Y.Tick.Label, 1.9*vg.Inch)}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	p.Y.Min, p.Y.Max = -float64(len(names))+0.45, 0.55
}

func (in *instances) drawRows(f frame) {
	p := newPlot()
	names := make([]string, len(in.series))
	for i, s := range in.series {
		names[i] = s.strategy
	}
	overheadAxis(&p.X, in.largest())
	p.X.Label.Text = "arena above the bound (logarithmic from 1% on)"
	nominal(p, names)
	p.Add(grid{vertical: true}, barRows{in})
	data := drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})[0]
	_, y := p.Transforms(&data)
	style := textStyle(tickSize, ink)
	write := func(y vg.Length, mean, meets string) {
		middle(f.strip, style, vg.Point{X: f.strip.Min.X, Y: y}, mean)
		middle(f.strip, style, vg.Point{X: f.strip.Min.X + 48, Y: y}, meets)
	}
	style.Color = inkSoft
	write(data.Max.Y+2, "geomean", "at bound")
	style.Color = ink
	for i, s := range in.series {
		write(y(-float64(i)), ratioCell(s.geomean).Text, fmt.Sprint(s.meets))
	}
}

// barRows draws a row per strategy.
type barRows struct{ *instances }

// Plot implements plot.Plotter.
func (b barRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := min((y(0)-y(-1))*0.36, 14)
	for i, s := range b.series {
		mid := y(-float64(i))
		look := lookOf(s.strategy)
		xs := make([]vg.Length, len(s.ratio))
		for j, r := range s.ratio {
			xs[j] = x(max(r-1, 0))
		}
		slices.Sort(xs)
		if len(xs) > dotsUpTo {
			box := drawBox(c, xs, mid, half, look)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: black, Radius: vg.Points(3), Shape: diamond},
				vg.Point{X: x(s.geomean - 1), Y: box})
			continue
		}
		light := look.color
		light.A = 0x66
		rect := vg.Rectangle{Min: vg.Point{X: x(0), Y: mid - half}, Max: vg.Point{X: x(s.geomean - 1), Y: mid + half}}
		c.SetColor(light)
		c.Fill(rect.Path())
		c.StrokeLine2(draw.LineStyle{Color: look.color, Width: vg.Points(1.5)}, rect.Max.X, rect.Min.Y, rect.Max.X, rect.Max.Y)
		drawDots(c, xs, mid, half, look)
	}
}

// drawDots draws a dot for every value, moved off the middle of the row where
// dots would cover each other.
func drawDots(c draw.Canvas, xs []vg.Length, mid, half vg.Length, look look) {
	const radius = 1.9
	type dot struct{ x, y vg.Length }
	var placed []dot
	for _, x := range xs {
		at := dot{x, mid}
		for k := 0; k < 2*int(half/radius); k++ {
			shift := vg.Length((k+1)/2) * radius * 1.6
			if k%2 == 0 {
				shift = -shift
			}
			if shift > half-radius || shift < -(half-radius) {
				break
			}
			at.y = mid + shift
			if !slices.ContainsFunc(placed, func(d dot) bool {
				dx, dy := float64(d.x-at.x), float64(d.y-at.y)
				return math.Hypot(dx, dy) < 1.9*radius
			}) {
				break
			}
		}
		placed = append(placed, at)
	}
	for _, d := range placed {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: look.color, Radius: radius, Shape: disc}, vg.Point{X: d.x, Y: d.y})
	}
}

// drawBox draws the spread of sorted values, and returns the height at which
// the middle of the box is.
func drawBox(c draw.Canvas, xs []vg.Length, mid, half vg.Length, look look) vg.Length {
	at := func(q float64) vg.Length { return xs[int(q*float64(len(xs)-1)+0.5)] }
	box := vg.Rectangle{Min: vg.Point{X: at(0.25), Y: mid - half*0.3}, Max: vg.Point{X: at(0.75), Y: mid + half}}
	line := draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
	middle := (box.Min.Y + box.Max.Y) / 2
	c.StrokeLine2(line, at(0.05), middle, at(0.25), middle)
	c.StrokeLine2(line, at(0.75), middle, at(0.95), middle)
	light := look.color
	light.A = 0x99
	fillBox := vg.Path{}
	addRect(&fillBox, box)
	fillPath(c, light, fillBox)
	strokePath(c, line, fillBox)
	line.Width = vg.Points(1.6)
	c.StrokeLine2(line, at(0.5), box.Min.Y, at(0.5), box.Max.Y)
	tick := draw.LineStyle{Color: look.color, Width: vg.Points(0.5)}
	var ticks vg.Path
	last := vg.Length(-1)
	for _, x := range xs {
		if x-last < pixel {
			continue
		}
		last = x
		ticks.Move(vg.Point{X: x, Y: mid - half*0.95})
		ticks.Line(vg.Point{X: x, Y: mid - half*0.45})
	}
	strokePath(c, tick, ticks)
	return middle
}

// drawGroups draws a group of bars per model, and the legend in the order of
// the bars.
func (in *instances) drawGroups(f frame) {
	p := newPlot()
	overheadAxis(&p.X, in.largest())
	p.X.Max *= 1.35 // room for the figures at the ends of the bars
	p.X.Label.Text = "arena above the bound (logarithmic from 1% on)"
	nominal(p, in.names)
	p.Add(grid{vertical: true}, barGroups{in})
	drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})
	var entries []entry
	for _, s := range in.series {
		look := lookOf(s.strategy)
		label := fmt.Sprintf("%s (%s)", table.Clean(s.strategy), ratioCell(s.geomean).Text)
		entries = append(entries, entry{label: label, glyph: look.glyph, color: look.color,
			line: draw.LineStyle{Color: look.color, Width: vg.Points(1.5)}})
	}
	if len(in.names) > 1 {
		entries = append(entries, entry{label: "( ) geometric mean"})
	}
	legend(f.strip, entries)
}

// barGroups draws bars, each ended by the glyph of its strategy.
type barGroups struct{ *instances }

// Plot implements plot.Plotter.
func (b barGroups) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := textStyle(7, ink)
	unit := y(0) - y(-1)
	step := unit * 0.86 / vg.Length(max(len(b.series), 1))
	for i := range b.names {
		top := y(-float64(i)) + unit*0.43
		for k, s := range b.series {
			look := lookOf(s.strategy)
			mid := top - step*(vg.Length(k)+0.5)
			end := x(max(s.ratio[i]-1, 0))
			light := look.color
			light.A = 0x99
			c.SetColor(light)
			c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: mid - step*0.32}, Max: vg.Point{X: end, Y: mid + step*0.32}}.Path())
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: look.color, Radius: vg.Points(2.6), Shape: look.glyph}, vg.Point{X: end, Y: mid})
			middle(c, style, vg.Point{X: end + 5, Y: mid}, ratioCell(s.ratio[i]).Text)
		}
	}
}
