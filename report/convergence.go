package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Effort is what the progress of a search is drawn against.
type Effort string

// The efforts.
const (
	ByTime      Effort = "time"      // since the start, on the host of the records
	ByDecisions Effort = "decisions" // placements tried, the same on any host
)

const (
	maxLines  = 8  // searches that a figure tells apart
	maxPanels = 12 // models in one figure
)

// Convergence draws how the searches of a run closed in on the arena: the best
// plan and the best lower bound of each against the effort, as the share above
// or below the best lower bound that anyone has. Strategies that do not tell
// of their progress are points at their planning time. Of a run over many models it draws a panel
// for each, up to twelve, those on which most improved first.
func Convergence(recs []bench.Record, by Effort) Figure {
	const title = "Convergence of the searches"
	if by != ByDecisions {
		by = ByTime
	}
	all := contests(recs, by)
	switch len(all) {
	case 0:
		return empty(title, "no search told how it closed in on a bound that is not zero")
	case 1:
		return all[0].figure(title, "")
	}
	return panels(title, all)
}

// Searches returns the records of each model or table on which a search told
// of its progress, those on which most improved first. Every element is what
// Convergence draws as one panel. Models with the same content count once.
func Searches(recs []bench.Record) [][]bench.Record {
	var out [][]bench.Record
	for _, c := range contests(recs, ByTime) {
		var unit []bench.Record
		for _, strategy := range sortedKeys(c.row.cells) {
			unit = append(unit, *c.row.cells[strategy])
		}
		out = append(out, unit)
	}
	return out
}

func sortedKeys(cells map[string]*bench.Record) []string {
	keys := make([]string, 0, len(cells))
	for k := range cells {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// contest is what the strategies made of one lifetime table, in the terms of
// the plot: gaps are shares of the base.
type contest struct {
	row     *row
	name    string
	by      Effort
	base    int64 // the best lower bound, at most the best arena
	checked bool  // a witness of the base was checked
	traces  []*trace
	passes  []pass
	untimed int // strategies that do not search and have no time
	steps   int // improvements after the first plans
}

// trace is the progress of a search, or of several with the same.
type trace struct {
	names []string
	steps []traceStep
	end   float64 // when it gave up, or last improved if that is all we know
	gap   float64 // at the end
}

// traceStep holds from x on. Either gap is NaN while there is none.
type traceStep struct{ x, upper, lower float64 }

// pass is a strategy that makes one plan.
type pass struct {
	strategy string
	x, gap   float64
}

// contests sorts the run out, those with most improvements first.
func contests(recs []bench.Record, by Effort) []*contest {
	m := newMatrix(recs)
	var out []*contest
	for _, b := range m.blocks {
		for _, r := range b.rows {
			if r.twin || r.best <= 0 {
				continue
			}
			c := &contest{row: r, name: r.name, by: by}
			if len(m.blocks) > 1 && !b.tables {
				c.name += fmt.Sprintf(" (%s, %s)", b.profile, b.order)
			}
			if c.fill(); len(c.traces) > 0 {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *contest) int { return -cmp.Compare(a.steps, b.steps) })
	return out
}

// fill turns the records into lines and points.
func (c *contest) fill() {
	c.base, c.checked = min(c.row.bound, c.row.best), true
	for _, rec := range c.row.cells {
		if !safe(rec) {
			continue
		}
		for _, i := range rec.Convergence {
			if i.LowerBoundBytes > c.base && i.LowerBoundBytes <= c.row.best {
				c.base, c.checked = i.LowerBoundBytes, false
			}
		}
	}
	if c.base <= 0 {
		return
	}
	for _, strategy := range sortedKeys(c.row.cells) {
		switch rec := c.row.cells[strategy]; {
		case !safe(rec):
		case len(rec.Convergence) > 0:
			c.addTrace(rec)
		case c.by == ByTime && !(rec.PlanNS >= 1 && rec.PlanNS < math.MaxInt64):
			c.untimed++
		default:
			c.passes = append(c.passes, pass{strategy, rec.PlanNS, c.gap(rec.ArenaBytes)})
		}
	}
	slices.SortStableFunc(c.traces, func(a, b *trace) int {
		return cmp.Or(cmp.Compare(a.gap, b.gap), cmp.Compare(a.last(), b.last()))
	})
}

// gap is how far bytes are above the base, below it if negative.
func (c *contest) gap(bytes int64) float64 {
	if bytes <= 0 {
		return math.NaN()
	}
	return float64(bytes)/float64(c.base) - 1
}

func (c *contest) addTrace(rec *bench.Record) {
	t := &trace{names: []string{rec.Strategy}, gap: c.gap(max(rec.ArenaBytes, 1))}
	for _, i := range rec.Convergence {
		s := traceStep{float64(i.NS), c.gap(i.ArenaBytes), c.gap(min(i.LowerBoundBytes, c.base))}
		if c.by == ByDecisions {
			s.x = float64(i.Decisions)
		}
		s.x = max(s.x, 1, t.end) // the axis is logarithmic
		t.end = s.x
		t.steps = append(t.steps, s)
	}
	c.steps += len(t.steps) - 1
	if c.by == ByTime && rec.PlanNS < math.MaxInt64 {
		t.end = max(t.end, rec.PlanNS)
	}
	for _, other := range c.traces {
		if other.end == t.end && slices.EqualFunc(other.steps, t.steps, traceStep.same) {
			other.names = append(other.names, t.names...)
			return
		}
	}
	c.traces = append(c.traces, t)
}

// same compares steps, gaps that are not there included.
func (s traceStep) same(o traceStep) bool {
	eq := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return s.x == o.x && eq(s.upper, o.upper) && eq(s.lower, o.lower)
}

// last is when the plan improved for the last time.
func (t *trace) last() float64 {
	x := t.steps[0].x
	for i := 1; i < len(t.steps); i++ {
		if t.steps[i].upper != t.steps[i-1].upper {
			x = t.steps[i].x
		}
	}
	return x
}

// says is the outcome of the trace as a sentence without an end.
func (t *trace) says(by Effort) string {
	names := make([]string, len(t.names))
	for i, n := range t.names {
		names[i] = table.Clean(n)
	}
	after := duration(t.last())
	if by == ByDecisions {
		after = plural(int(t.last()), "decision")
	}
	if t.gap == 0 {
		return strings.Join(names, ", ") + " at the bound after " + after
	}
	return fmt.Sprintf("%s %s above it after %s", strings.Join(names, ", "), overhead(1+t.gap), after)
}

// outcomes lists what became of every search.
func (c *contest) outcomes() string {
	parts := make([]string, len(c.traces))
	for i, t := range c.traces {
		parts[i] = t.says(c.by)
	}
	return strings.Join(parts, "; ")
}

// figure draws the contest alone. The scope says what it is a part of, if of
// anything.
func (c *contest) figure(title, scope string) Figure {
	title += ": " + c.name
	sub := c.sentence()
	if scope != "" {
		sub += "; " + scope
	}
	return Figure{
		Title: title, Caption: fmt.Sprintf("%s. %s. %s.", title, sub, c.outcomes()),
		width: 7.8 * vg.Inch, height: 4.6 * vg.Inch,
		draw: func(canvas draw.Canvas) { c.draw(newFrame(canvas, title, sub, 2.05*vg.Inch)) },
	}
}

// sentence says what the axes stand on.
func (c *contest) sentence() string {
	s := fmt.Sprintf("best lower bound %s B", exact(c.base))
	if !c.checked {
		s += ", as a search states it"
	}
	if c.by == ByDecisions {
		s += "; lines end at the last improvement"
	}
	if n := c.above(); n > 0 {
		s += fmt.Sprintf("; %s of %s above the axis", exact(int64(n)), plural(len(c.passes), "other strategy"))
	}
	if c.untimed > 0 {
		s += fmt.Sprintf("; %s without a time left out", exact(int64(c.untimed)))
	}
	return s
}

// lastPoint is where a plan improved for the last time.
type lastPoint struct{ x, upper float64 }

func (t *trace) lastPoint() lastPoint { return lastPoint{t.last(), t.steps[len(t.steps)-1].upper} }

// crowd returns how many searches at most improved for the last time in one
// point.
func (c *contest) crowd() int {
	most, at := 0, map[lastPoint]int{}
	for _, t := range c.traces {
		p := t.lastPoint()
		at[p] += len(t.names)
		most = max(most, at[p])
	}
	return most
}
