package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report/internal/table"
)

// role is what a buffer has to do with the size of the arena.
type role uint8

const (
	roleOther role = iota
	roleBound      // live at the step where the bound is reached
	roleTop        // ends where the arena ends, above the bound
	roles
)

var roleFill = [roles]color.NRGBA{
	{0xDD, 0xE7, 0xEF, 0xFF}, {0x7F, 0xB8, 0xDE, 0xFF}, {0xE6, 0x9F, 0x00, 0xFF},
}

// roleShade are the fills of buffers too small for an outline: darker, and two
// in turn, so that they can be seen and told from their neighbours.
var roleShade = [roles][2]color.NRGBA{
	{{0xC2, 0xD2, 0xDF, 0xFF}, {0xA6, 0xBC, 0xCE, 0xFF}},
	{{0x6F, 0xAB, 0xD5, 0xFF}, {0x56, 0x96, 0xC4, 0xFF}},
	{{0xE6, 0x9F, 0x00, 0xFF}, {0xC8, 0x89, 0x00, 0xFF}},
}

var (
	outline  = draw.LineStyle{Color: color.NRGBA{0x3A, 0x4A, 0x58, 0xFF}, Width: vg.Points(0.35)}
	topHatch = draw.LineStyle{Color: color.NRGBA{0x5A, 0x3A, 0x00, 0xFF}, Width: vg.Points(0.5)}
	peakLine = draw.LineStyle{Color: ink, Width: vg.Points(0.6), Dashes: []vg.Length{1, 2}}
)

// arenaMap is what the drawing needs to know.
type arenaMap struct {
	table   *lifetime.Table
	plan    *lifetime.Plan
	pieces  []lifetime.Piece
	axis    axis
	live    lifetime.Curve
	top     heights
	arena   int64
	bound   int64
	peak    int64 // the step where the bound is reached
	hasPeak bool
}

// ArenaMap draws a plan: steps across, offsets up, a rectangle for every
// buffer, with the proven bound as a line; and below it the bytes that are live
// and those that are trapped, free but below something that is live. Model,
// strategy and order are taken from the record.
func ArenaMap(rec bench.Record, t *lifetime.Table, p *lifetime.Plan) Figure {
	title := fmt.Sprintf("%s, %s", rowName(&rec), table.Clean(rec.Strategy))
	switch {
	case t == nil || p == nil || len(p.Offsets) != len(t.Buffers):
		return empty(title, "no plan of this table")
	case len(t.Pieces()) == 0:
		return empty(title, "no buffer takes any bytes")
	}
	m := newArenaMap(rec, t, p)
	sub := m.sentence(rec)
	return Figure{
		Title:   title,
		Caption: "Arena map of " + title + ": " + sub,
		width:   10 * vg.Inch,
		height:  6.2 * vg.Inch,
		draw:    func(c draw.Canvas) { m.draw(newFrame(c, title, sub, 1.75*vg.Inch)) },
	}
}

func newArenaMap(rec bench.Record, t *lifetime.Table, p *lifetime.Plan) *arenaMap {
	label := "operator index"
	if rec.Source == "table" {
		label = "step"
	} else if rec.Order != "" {
		label += fmt.Sprintf(" (%s order)", table.Clean(rec.Order))
	}
	m := &arenaMap{table: t, plan: p, pieces: t.Pieces(), live: t.LiveBytes()}
	m.axis = newAxis(m.pieces, label)
	m.top = tops(m.pieces, p.Offsets, m.axis.times)
	for i, off := range p.Offsets {
		m.arena = max(m.arena, off+t.Buffers[i].Size)
	}
	m.peak, m.bound = m.live.Peak()
	m.hasPeak = true
	if p.Bound != nil && p.Bound.Value > m.bound {
		m.bound, m.peak = p.Bound.Value, p.Bound.Step
		m.hasPeak = p.Bound.Kind != lifetime.BoundFixed
	}
	if rec.LowerBoundBytes > m.bound {
		m.bound, m.peak = rec.LowerBoundBytes, rec.BoundStep
		m.hasPeak = rec.BoundKind == lifetime.BoundLoad || rec.BoundKind == lifetime.BoundAlignment
	}
	return m
}

// sentence says in words what the picture shows.
func (m *arenaMap) sentence(rec bench.Record) string {
	s := fmt.Sprintf("arena %s B", exact(m.arena))
	switch excess := m.arena - m.bound; {
	case excess == 0:
		s += " = proven bound: optimal"
	case m.bound > 0:
		s += fmt.Sprintf(" = bound %s B + %s B (%s)", exact(m.bound), exact(excess),
			overhead(float64(m.arena)/float64(m.bound)))
	}
	s += ", " + plural(len(m.table.Buffers), "buffer")
	if rec.Profile != "" && rec.Source != "table" {
		s += ", profile " + table.Clean(rec.Profile)
	}
	return s
}

func (m *arenaMap) role(p *lifetime.Piece) role {
	switch {
	case m.arena > m.bound && m.plan.Offsets[p.Buffer]+p.High == m.arena:
		return roleTop
	case m.hasPeak && p.Lower <= m.peak && m.peak < p.Upper:
		return roleBound
	}
	return roleOther
}

func (m *arenaMap) draw(f frame) {
	upper, lower := m.plotMap(), m.plotBands()
	data := drawAligned(f.body, vg.Points(12), []*plot.Plot{upper, lower}, []float64{0.69, 0.31})
	m.label(f.strip, data[0], upper, m.mapLegend())
	m.label(f.strip, data[1], lower, m.bandLegend())
}

func (m *arenaMap) plotMap() *plot.Plot {
	p := newPlot()
	m.axes(p, 8)
	p.X.Label.Text = ""
	p.Y.Label.Text = "offset"
	p.Add(grid{horizontal: true}, mapRects{m}, mapLines{m})
	return p
}

func (m *arenaMap) plotBands() *plot.Plot {
	p := newPlot()
	m.axes(p, 4)
	p.X.Label.Text = m.axis.label
	p.Y.Label.Text = "bytes"
	p.Add(grid{horizontal: true}, mapBands{m}, mapLines{m})
	return p
}

func (m *arenaMap) axes(p *plot.Plot, ticks int) {
	p.X.Min, p.X.Max = m.axis.span()
	p.X.Tick.Marker = countTicks{10}
	p.Y.Min, p.Y.Max = 0, float64(max(m.arena, m.bound, 1))*1.02
	p.Y.Tick.Marker = byteTicks{ticks}
}

// label writes into the strip beside one of the plots.
func (m *arenaMap) label(strip, data draw.Canvas, p *plot.Plot, entries []entry) {
	strip.Min.Y, strip.Max.Y = data.Min.Y, data.Max.Y+vg.Points(5)
	_, y := p.Transforms(&data)
	var labels []direct
	if m.arena > m.bound {
		labels = append(labels, direct{y(float64(m.arena)), m.arenaLabel(), vermilion})
	}
	name := "bound "
	if m.arena == m.bound {
		name = "arena = bound "
	}
	if m.bound > 0 {
		labels = append(labels, direct{y(float64(m.bound)), name + size(m.bound), color.NRGBA{0, 0x70, 0x50, 0xFF}})
	}
	bottom := directLabels(strip, labels)
	need := vg.Length(len(entries)) * legendLine
	strip.Max.Y = min(bottom-6, strip.Min.Y+need)
	legend(strip, entries)
}

func (m *arenaMap) arenaLabel() string {
	if m.bound <= 0 {
		return "arena " + size(m.arena)
	}
	return fmt.Sprintf("arena %s (%s)", size(m.arena), overhead(float64(m.arena)/float64(m.bound)))
}

func swatch(fill color.Color, hatched bool) func(draw.Canvas) {
	return func(c draw.Canvas) {
		c.SetColor(fill)
		c.Fill(c.Rectangle.Path())
		if hatched {
			hatch(c, c.Rectangle, topHatch, 3)
		}
		c.SetLineStyle(outline)
		c.Stroke(c.Rectangle.Path())
	}
}

func (m *arenaMap) mapLegend() []entry {
	var out []entry
	if m.arena > m.bound {
		out = append(out, entry{label: "touches the top", fill: swatch(roleFill[roleTop], true)})
	}
	if m.hasPeak {
		out = append(out,
			entry{label: fmt.Sprintf("live at step %s", exact(m.peak)), fill: swatch(roleFill[roleBound], false)},
			entry{label: "where the bound is", line: peakLine})
	}
	return append(out, entry{label: "other buffers", fill: swatch(roleFill[roleOther], false)})
}

func (m *arenaMap) bandLegend() []entry {
	return []entry{
		{label: "trapped: free, but", fill: swatch(orange, true)},
		{label: "below a live buffer"},
		{label: "live", fill: swatch(sky, false)},
	}
}

// mapLines draws the bound, the arena and the step of the bound.
type mapLines struct{ *arenaMap }

// Plot implements plot.Plotter.
func (m mapLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if m.hasPeak {
		if at := x(m.axis.at(m.peak) + 0.5); c.ContainsX(at) {
			c.StrokeLine2(peakLine, at, c.Min.Y, at, c.Max.Y)
		}
	}
	if m.arena > m.bound {
		c.StrokeLine2(lineArena, c.Min.X, y(float64(m.arena)), c.Max.X, y(float64(m.arena)))
	}
	if m.bound > 0 {
		c.StrokeLine2(lineBound, c.Min.X, y(float64(m.bound)), c.Max.X, y(float64(m.bound)))
	}
}
