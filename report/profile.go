package report

import (
	"cmp"
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

// Profile draws a performance profile: for every strategy the share of the
// models on which its arena is within a factor of the best known one. A model
// without a safe plan counts as never. Only the left end and the best line may
// be read as a ranking: the others change when the leader goes (Gould and
// Scott, A note on performance profiles for benchmarking software, 2016).
func Profile(recs []bench.Record) Figure {
	const title = "Performance profile"
	in := newInstances(recs)
	if in.all == 0 || len(in.series) == 0 {
		return empty(title, "no strategy has a safe plan")
	}
	named := in.highlights()
	lines := make([]*profileLine, 0, len(in.series))
	for _, s := range in.series {
		lines = append(lines, newProfileLine(s))
		lines[len(lines)-1].named = named[s.strategy]
	}
	slices.SortStableFunc(lines, func(a, b *profileLine) int {
		return cmp.Or(-cmp.Compare(a.share(1), b.share(1)), -cmp.Compare(a.area(), b.area()))
	})
	sub := "share of " + plural(in.all, in.noun) + " on which a strategy is within a factor of the best known arena"
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = table.Clean(l.strategy) + " on " + percent(l.share(1))
	}
	caption := title + ": " + sub + ". Best known: " + strings.Join(parts, ", ") + "."
	return Figure{
		Title: title, Caption: caption, width: 7.6 * vg.Inch, height: 4.4 * vg.Inch,
		draw: func(c draw.Canvas) { drawProfile(newFrame(c, title, sub, 1.9*vg.Inch), lines, in.noun) },
	}
}

// profileLine is the distribution of the factors of one strategy.
type profileLine struct {
	strategy string
	factors  []float64 // ascending, +Inf for failures
	named    bool
}

func newProfileLine(s *series) *profileLine {
	l := &profileLine{strategy: s.strategy, factors: slices.Clone(s.factor)}
	slices.Sort(l.factors)
	return l
}

// share returns the part of the models within the factor.
func (l *profileLine) share(factor float64) float64 {
	n, _ := slices.BinarySearchFunc(l.factors, factor, func(x, t float64) int {
		if x <= t {
			return -1
		}
		return 1
	})
	return float64(n) / float64(len(l.factors))
}

// area orders lines that start at the same height.
func (l *profileLine) area() float64 {
	sum := 0.0
	for _, f := range l.factors {
		if !math.IsInf(f, 0) {
			sum += 1 / f
		}
	}
	return sum
}

func drawProfile(f frame, lines []*profileLine, noun string) {
	p := newPlot()
	largest := 1.0
	for _, l := range lines {
		for _, x := range l.factors {
			if !math.IsInf(x, 0) {
				largest = max(largest, x)
			}
		}
	}
	overheadAxis(&p.X, largest)
	p.X.Label.Text = "arena above the best known (logarithmic from 1% on)"
	p.Y.Min, p.Y.Max = 0, 1.03
	p.Y.Tick.Marker = shareTicks{}
	p.Y.Label.Text = "share of " + noun + "s"
	p.Add(grid{vertical: true, horizontal: true}, profileLines(lines))
	drawAligned(f.body, 0, []*plot.Plot{p}, []float64{1})
	entries := make([]entry, 0, len(lines)+1)
	others := 0
	for _, l := range lines {
		if !l.named {
			others++
			continue
		}
		entries = append(entries, entry{
			label: fmt.Sprintf("%s (%s)", table.Clean(l.strategy), percent(l.share(1))),
			line:  lookOf(l.strategy).line(),
		})
	}
	if others > 0 {
		entries = append(entries, entry{label: plural(others, "other"), line: faint()})
	}
	legend(f.strip, append(entries, entry{label: "( ) best known on"}))
}

type profileLines []*profileLine

// Plot implements plot.Plotter. The best line is drawn last, those without a
// name first.
func (ls profileLines) Plot(c draw.Canvas, p *plot.Plot) {
	ls.draw(c, p, false)
	ls.draw(c, p, true)
}

func (ls profileLines) draw(c draw.Canvas, p *plot.Plot, named bool) {
	x, y := p.Transforms(&c)
	for i := len(ls) - 1; i >= 0; i-- {
		l := ls[i]
		if l.named != named {
			continue
		}
		style := faint()
		if named {
			style = lookOf(l.strategy).line()
		}
		points := []vg.Point{{X: x(0), Y: y(l.share(1))}}
		for _, f := range l.factors {
			if f <= 1 || math.IsInf(f, 0) {
				continue
			}
			at, last := x(f-1), points[len(points)-1]
			if at-last.X < pixel/2 { // many steps in one place
				points[len(points)-1].Y = y(l.share(f))
				continue
			}
			points = append(points, vg.Point{X: at, Y: last.Y}, vg.Point{X: at, Y: y(l.share(f))})
		}
		points = append(points, vg.Point{X: c.Max.X, Y: points[len(points)-1].Y})
		c.StrokeLines(style, points)
	}
}
