package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// peaks is what the orders of one profile need: the most bytes live at once, by
// model and order, against what any order needs at least.
type peaks struct {
	profile string
	orders  []string
	models  []*orderRow
}

type orderRow struct {
	name   string
	bound  int64 // proven for any order, 0 if nothing is
	peak   map[string]int64
	millis map[string]float64
	arena  int64 // the smallest of a safe plan in any order, -1 if there is none
}

// least returns the smallest peak, and the first order that has it, or exact if
// that has it too.
func (r *orderRow) least(orders []string) (string, int64) {
	name, least := "", int64(math.MaxInt64)
	for _, o := range orders {
		if p, ok := r.peak[o]; ok && (p < least || p == least && o == "exact") {
			name, least = o, p
		}
	}
	return name, least
}

// newPeaks collects the peaks by profile, in the order of the records. Models
// with nothing live, which no order changes, are left out, and so are profiles
// for which nothing is known of all orders.
func newPeaks(recs []bench.Record) []*peaks {
	var all []*peaks
	for i := range recs {
		r := &recs[i]
		if r.Source != bench.SourceModel || r.Strategy == "" || r.PeakLiveBytes == 0 {
			continue
		}
		k := slices.IndexFunc(all, func(p *peaks) bool { return p.profile == r.Profile })
		if k < 0 {
			k = len(all)
			all = append(all, &peaks{profile: r.Profile})
		}
		p, name := all[k], rowName(r)
		j := slices.IndexFunc(p.models, func(x *orderRow) bool { return x.name == name })
		if j < 0 {
			j = len(p.models)
			p.models = append(p.models, &orderRow{name: name, arena: -1, peak: map[string]int64{}, millis: map[string]float64{}})
		}
		if !slices.Contains(p.orders, r.Order) {
			p.orders = append(p.orders, r.Order)
		}
		row := p.models[j]
		row.bound = max(row.bound, r.OrderBoundBytes)
		row.peak[r.Order] = r.PeakLiveBytes
		row.millis[r.Order] = float64(r.OrderNS) / 1e6
		if safe(r) && (row.arena < 0 || r.ArenaBytes < row.arena) {
			row.arena = r.ArenaBytes
		}
	}
	for _, p := range all { // what others are compared with
		if k := slices.Index(p.orders, "stored"); k > 0 {
			p.orders = slices.Insert(slices.Delete(p.orders, k, k+1), 0, "stored")
		}
	}
	return slices.DeleteFunc(all, func(p *peaks) bool {
		return len(p.orders) < 2 || !slices.ContainsFunc(p.models, func(m *orderRow) bool { return m.bound > 0 })
	})
}

// peakTables says for each profile that was run with several orders how much
// they need, and for which models another order than the first is worth it.
func peakTables(recs []bench.Record, o Options) []section {
	var out []section
	for _, p := range newPeaks(recs) {
		out = append(out, p.byOrder(o), p.byModel(o))
	}
	return out
}

// byOrder has a row for each order.
func (p *peaks) byOrder(o Options) section {
	t := &table.Table{Head: []string{"order", "geomean", "worst", "least", "proven", "below " + table.Clean(p.orders[0]), "above", "time"}}
	var means []float64
	for _, name := range p.orders {
		var ratios, times []float64
		var least, proven, below, above int
		for _, m := range p.models {
			peak, ok := m.peak[name]
			if !ok {
				continue
			}
			base := m.bound
			if base == 0 {
				_, base = m.least(p.orders)
			}
			ratios = append(ratios, float64(peak)/float64(base))
			times = append(times, m.millis[name])
			if _, best := m.least(p.orders); peak == best {
				least++
			}
			if peak == m.bound {
				proven++
			}
			if first, ok := m.peak[p.orders[0]]; ok && peak < first {
				below++
			} else if ok && peak > first {
				above++
			}
		}
		logs := 0.0
		for _, x := range ratios {
			logs += math.Log(x)
		}
		slices.Sort(times)
		means = append(means, logs/float64(max(len(ratios), 1)))
		t.Body = append(t.Body, []table.Cell{
			{Text: table.Clean(name)},
			ratioCell(math.Exp(means[len(means)-1])),
			ratioCell(slices.Max(append(ratios, 1))),
			{Text: fmt.Sprint(least)}, {Text: fmt.Sprint(proven)}, {Text: fmt.Sprint(below)}, {Text: fmt.Sprint(above)},
			{Text: duration(times[len(times)/2] * float64(time.Millisecond))},
		})
	}
	byMean := make([]int, len(means))
	for i := range byMean {
		byMean[i] = i
	}
	slices.SortStableFunc(byMean, func(x, y int) int { return cmp.Compare(means[x], means[y]) })
	body := t.Body
	t.Body = nil
	for _, i := range byMean {
		t.Body = append(t.Body, body[i])
	}
	s := section{
		heading: fmt.Sprintf("peak live bytes by order, profile %s, %s: over what any order needs at least (proven); "+
			"on how many it is the least found, and proven to be the least; median time to find the order",
			p.profile, plural(len(p.models), "model")),
		table: t,
	}
	if o.Format == Text {
		fit(t, o, 2)
	}
	return s
}

// byModel has a row for each model that another order helps, the most helped
// first.
func (p *peaks) byModel(o Options) section {
	first := p.orders[0]
	rows := slices.Clone(p.models)
	saved := func(m *orderRow) float64 {
		_, least := m.least(p.orders)
		from, ok := m.peak[first]
		if !ok || from == 0 {
			return 0
		}
		return 1 - float64(least)/float64(from)
	}
	slices.SortStableFunc(rows, func(x, y *orderRow) int { return cmp.Compare(saved(y), saved(x)) })
	helped := len(rows)
	if i := slices.IndexFunc(rows, func(m *orderRow) bool { return saved(m) <= 0 }); i >= 0 {
		helped = i
	}
	shown := helped
	if o.Rows > 0 {
		shown = min(shown, o.Rows)
	}
	t := &table.Table{Head: []string{"model", table.Clean(first), "least found", "saved", "any order", "order"}, Left: []int{5}}
	for _, m := range rows[:shown] {
		name, least := m.least(p.orders)
		bound := table.Cell{Text: "–"}
		if m.bound > 0 {
			bound = table.Cell{Text: "= proven"}
			if m.bound < least {
				bound = table.Cell{Text: "≥ " + size(m.bound)}
			}
		}
		t.Body = append(t.Body, []table.Cell{
			{Text: m.name}, {Text: size(m.peak[first])}, {Text: size(least)},
			{Text: percent(saved(m))}, bound, {Text: table.Clean(name)},
		})
	}
	var optimal, open []string
	for _, m := range rows[helped:] {
		if m.peak[first] == m.bound {
			optimal = append(optimal, m.name)
		} else {
			open = append(open, m.name)
		}
	}
	s := section{heading: fmt.Sprintf("what another order is worth, profile %s: peak live bytes", p.profile)}
	if len(t.Body) > 0 {
		s.table = t
	}
	if n := helped - shown; n > 0 {
		s.notes = append(s.notes, note{text: fmt.Sprintf("[%s gain less]", others(n))})
	}
	if len(optimal) > 0 {
		s.notes = append(s.notes, note{text: fmt.Sprintf("the %s order is proven to be the best there is on %s: %s",
			table.Clean(first), plural(len(optimal), "model"), list(optimal, 8))})
	}
	if len(open) > 0 {
		s.notes = append(s.notes, note{text: fmt.Sprintf("nothing better was found for %s, which is not proven: %s",
			plural(len(open), "model"), list(open, 8))})
	}
	if o.Format == Text && s.table != nil {
		fit(t, o, 4)
	}
	return s
}

// orderVerdict says in a sentence what orders are worth.
func orderVerdict(recs []bench.Record) string {
	all := newPeaks(recs)
	if len(all) == 0 {
		return otherOrders(recs)
	}
	var parts []string
	for _, p := range all {
		proven, together := 0, 0
		for _, m := range p.models {
			if _, least := m.least(p.orders); least == m.bound {
				proven++
			}
			if m.arena == m.bound {
				together++
			}
		}
		parts = append(parts, fmt.Sprintf("profile %s, a least peak proven on %d of %s, and an arena of just that, which no order and no planner can be below, on %d",
			p.profile, proven, plural(len(p.models), "model"), together))
	}
	return "orders: " + strings.Join(parts, "; ")
}

// otherOrders says of a run with one order alone whether there are better ones.
func otherOrders(recs []bench.Record) string {
	type unit struct{ profile, model string }
	seen := map[unit]bool{}
	var best, better, open int
	var top *bench.Record
	share := func(r *bench.Record) float64 { return float64(r.OrderLeastBytes) / float64(r.PeakLiveBytes) }
	for i := range recs {
		r := &recs[i]
		if r.Source != bench.SourceModel || r.PeakLiveBytes == 0 || r.OrderLeastBytes == 0 || seen[unit{r.Profile, r.Model}] {
			continue
		}
		seen[unit{r.Profile, r.Model}] = true
		switch {
		case r.OrderLeastBytes < r.PeakLiveBytes:
			if better++; top == nil || share(r) < share(top) {
				top = r
			}
		case r.OrderBoundBytes == r.PeakLiveBytes:
			best++
		default:
			open++
		}
	}
	total := best + better + open
	if total == 0 {
		return ""
	}
	text := fmt.Sprintf("operator order: proven to be the best there is on %d of %d", best, total)
	if top != nil {
		text += fmt.Sprintf("; another needs less on %d, most on %s: peak live %s → %s (%s), see -orders",
			better, table.Shorten(rowName(top), 48), size(top.PeakLiveBytes), size(top.OrderLeastBytes), signedPercent((share(top)-1)*100))
	}
	if open > 0 {
		text += fmt.Sprintf("; neither on %d", open)
	}
	return text
}
