package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report"
)

// autoLive is how many models get a plot of live bytes by order unless all are
// asked for.
const autoLive = 12

// livePicker keeps, for each model and profile of the run, the bytes live over
// time in the first order and in the one that needs least.
type livePicker struct {
	limit int
	units []*liveUnit
	last  map[unitKey]*liveUnit
}

type liveUnit struct {
	first, least liveOrder
	latest       string // order that was looked at
	bound        int64
}

type liveOrder struct {
	rec  bench.Record
	live []int64
}

func newLivePicker(mode string) *livePicker {
	p := &livePicker{last: map[unitKey]*liveUnit{}}
	switch mode {
	case "auto":
		p.limit = autoLive
	case "all":
		p.limit = -1
	}
	return p
}

func (p *livePicker) add(c *bench.Cell) {
	if p.limit == 0 || c.Lifetimes == nil || c.Table == nil || c.PeakLiveBytes == 0 {
		return
	}
	key := unitKey{model: c.Record.Model, profile: c.Profile}
	u := p.last[key]
	if u == nil {
		u = &liveUnit{}
		p.last[key] = u
		p.units = append(p.units, u)
	}
	u.bound = max(u.bound, c.OrderBoundBytes)
	if u.latest == c.Record.Order {
		return // as another strategy has it
	}
	isFirst := u.latest == ""
	u.latest = c.Record.Order
	if isFirst || c.Record.Order == "stored" {
		u.first = liveOrder{c.Record, steps(c.Table)}
	}
	if isFirst || c.PeakLiveBytes < u.least.rec.PeakLiveBytes {
		u.least = liveOrder{c.Record, steps(c.Table)}
	}
}

// steps returns the bytes live at each time of a table.
func steps(t *lifetime.Table) []int64 {
	lower, upper := t.Span()
	const most = 1 << 20 // of a plot nobody could read
	if upper-lower > most {
		return nil
	}
	curve := t.LiveBytes()
	live := make([]int64, upper-lower)
	for i := range live {
		live[i] = curve.At(lower + int64(i))
	}
	return live
}

func (u *liveUnit) saved() float64 {
	return 1 - float64(u.least.rec.PeakLiveBytes)/float64(max(u.first.rec.PeakLiveBytes, 1))
}

// draw saves the plots of the models that another order helps most.
func (p *livePicker) draw(save func(string, report.Figure)) {
	units := slices.DeleteFunc(slices.Clone(p.units), func(u *liveUnit) bool { return u.saved() <= 0 })
	slices.SortStableFunc(units, func(a, b *liveUnit) int { return cmp.Compare(b.saved(), a.saved()) })
	if p.limit > 0 {
		units = units[:min(len(units), p.limit)]
	}
	for _, u := range units {
		named := bench.Cell{Record: u.first.rec}
		named.Record.Order, named.Strategy = "orders", "live"
		save(mapName(&named), report.Live([]report.LiveCurve{
			{Label: u.first.rec.Order, Bytes: u.first.live}, {Label: u.least.rec.Order, Bytes: u.least.live},
		}, u.bound, fmt.Sprintf("Live bytes of %s by operator order, profile %s", u.first.rec.Model, u.first.rec.Profile)))
	}
}
