package report

import (
	"fmt"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// verdict is the last sentence: who is best on how many models, and where the
// largest saving over the reference strategy is. It claims nothing that a
// record does not show.
func (m *matrix) verdict() string {
	if m.plans == 0 {
		return "nothing was planned, so there is nothing to compare"
	}
	leader, best, alone, n, proven := m.leader()
	if n == 0 {
		return "no model has a safe plan of every strategy, so nothing can be compared"
	}
	var s string
	if m.strategies == 1 {
		s = fmt.Sprintf("%s meets the proven bound on %d of %d", leader, proven, n)
	} else {
		s = fmt.Sprintf("best known: %s on %d of %s", leader, best, m.ofAll(n))
		if alone > 0 {
			s += fmt.Sprintf(" (alone on %d)", alone)
		}
		s += fmt.Sprintf(", %d of %d proven optimal", proven, n)
	}
	if g := m.gain(); g != "" {
		s += "; " + g
	}
	return s
}

// ofAll names a number of rows, and says so if they are not all.
func (m *matrix) ofAll(n int) string {
	left, twins := 0, 0
	for _, b := range m.blocks {
		left += len(b.left)
		twins += b.twins()
	}
	switch {
	case left > 0:
		return fmt.Sprintf("the %d that every strategy planned", n)
	case twins > 0:
		return fmt.Sprintf("the %d that differ", n)
	case len(m.blocks) > 1:
		return plural(n, "case")
	}
	return fmt.Sprint(n)
}

// leader returns the strategies that are best most often over the common rows
// of all blocks, how often, how often alone, the number of rows, and on how
// many of them the best arena meets the bound.
func (m *matrix) leader() (names string, best, alone, n, proven int) {
	bests, alones := map[string]int{}, map[string]int{}
	var order []string
	for _, b := range m.blocks {
		n += len(b.common)
		for _, r := range b.common {
			if r.best == r.bound {
				proven++
			}
		}
		for i := len(b.columns) - 1; i >= 0; i-- {
			c := b.columns[i]
			if _, ok := bests[c.strategy]; !ok {
				order = append(order, c.strategy)
			}
			bests[c.strategy] += c.best
			alones[c.strategy] += c.alone
		}
	}
	var leaders []string
	for _, s := range order {
		switch {
		case bests[s] > best:
			best, alone, leaders = bests[s], alones[s], []string{table.Clean(s)}
		case bests[s] == best && best > 0:
			leaders = append(leaders, table.Clean(s))
			alone = 0 // each alone on its own ones
		}
	}
	return and(leaders, 4), best, alone, n, proven
}

// and joins names as in a sentence.
func and(names []string, most int) string {
	if len(names) > most {
		return list(names, most)
	}
	for i, n := range names {
		names[i] = table.Shorten(n, 40)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// gain names the model where the reference strategy, in the first order of its
// profile, is farthest above the best arena that any strategy in any order
// reached.
func (m *matrix) gain() string {
	type place struct {
		row  *row
		from *bench.Record
		to   *bench.Record
	}
	var top place
	ratio := 1.0
	compared, reference := 0, ""
	seen := map[string]bool{}
	for _, b := range m.blocks {
		if seen[b.profile] {
			continue
		}
		seen[b.profile] = true
		ref := b.reference()
		for _, r := range b.rows {
			from := r.safe(ref)
			to := m.bestOf(b, r)
			if from == nil || to == nil || from.ArenaBytes <= 0 || len(r.cells) < 2 {
				continue
			}
			compared++
			reference = ref
			if x := float64(to.ArenaBytes) / float64(from.ArenaBytes); x < ratio {
				ratio, top = x, place{r, from, to}
			}
		}
	}
	switch {
	case compared == 0:
		return ""
	case top.row == nil:
		return fmt.Sprintf("nothing smaller than %s was found", table.Shorten(table.Clean(reference), 40))
	}
	return fmt.Sprintf("most to gain: %s, %s %s → %s %s B (%s)", table.Shorten(top.row.name, 48),
		m.label(top.from), exact(top.from.ArenaBytes),
		m.label(top.to), exact(top.to.ArenaBytes), signedPercent((ratio-1)*100))
}

// bestOf returns the smallest safe plan of the model of r over all orders of
// the profile of b; of equal ones the first.
func (m *matrix) bestOf(b *block, r *row) *bench.Record {
	var best *bench.Record
	for _, other := range m.blocks {
		if other.profile != b.profile || other.tables != b.tables || other.align != b.align {
			continue
		}
		same := other.find(r.name)
		if same == nil {
			continue
		}
		for i := len(other.columns) - 1; i >= 0; i-- {
			rec := same.safe(other.columns[i].strategy)
			if rec != nil && (best == nil || rec.ArenaBytes < best.ArenaBytes) {
				best = rec
			}
		}
	}
	return best
}

func (m *matrix) label(rec *bench.Record) string {
	s := table.Shorten(table.Clean(rec.Strategy), 32)
	if m.orders > 1 && rec.Source != "table" {
		s += fmt.Sprintf(" (%s)", table.Clean(rec.Order))
	}
	return s
}
