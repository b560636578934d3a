package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/arenalab/arenalab/bench"
)

// series is a strategy over all instances of a run, an instance being a model
// under a profile and an order.
type series struct {
	strategy string
	ratio    []float64 // arena over bound, of the common instances
	factor   []float64 // arena over the best known, of all instances; +Inf without a plan
	geomean  float64   // of ratio
	meets    int       // common instances whose arena equals the bound
	time     float64   // geometric mean in ns over the common instances, NaN if unknown
}

// instances is what the plots over a whole run draw.
type instances struct {
	series []*series // worst to best by geomean
	names  []string  // of the common instances
	all    int       // instances with a safe plan
	noun   string    // what an instance is called
	failed []string  // strategies without a safe plan, left out of series
}

func newInstances(recs []bench.Record) *instances {
	m := newMatrix(recs)
	in := &instances{noun: m.noun()}
	byName := map[string]*series{}
	plans := map[string]int{}
	for _, b := range m.blocks {
		for _, c := range b.columns {
			plans[c.strategy] += c.safe
			if byName[c.strategy] == nil {
				byName[c.strategy] = &series{strategy: c.strategy}
				in.series = append(in.series, byName[c.strategy])
			}
		}
	}
	in.series = slices.DeleteFunc(in.series, func(s *series) bool {
		if plans[s.strategy] == 0 {
			in.failed = append(in.failed, s.strategy)
		}
		return plans[s.strategy] == 0
	})
	for _, b := range m.blocks {
		for _, r := range b.rows {
			in.add(m, b, r)
		}
	}
	for _, s := range in.series {
		s.finish(len(in.names))
	}
	slices.SortFunc(in.series, func(a, b *series) int {
		return cmp.Or(-cmp.Compare(a.geomean, b.geomean), cmp.Compare(a.strategy, b.strategy))
	})
	return in
}

func (in *instances) add(m *matrix, b *block, r *row) {
	if r.best < 0 || r.twin {
		return
	}
	in.all++
	common := true
	for _, s := range in.series {
		factor := math.Inf(1)
		if rec := r.safe(s.strategy); rec != nil {
			factor = 1
			if rec.ArenaBytes != r.best {
				factor = float64(rec.ArenaBytes) / float64(r.best)
			}
		}
		s.factor = append(s.factor, factor)
		if _, ok := r.ratio(s.strategy); !ok {
			common = false
		}
	}
	if !common {
		return
	}
	name := r.name
	if len(m.blocks) > 1 && !b.tables {
		name += fmt.Sprintf(" (%s)", b.order)
	}
	in.names = append(in.names, name)
	for _, s := range in.series {
		ratio, _ := r.ratio(s.strategy)
		s.ratio = append(s.ratio, ratio)
		s.geomean += math.Log(ratio)
		if r.cells[s.strategy].ArenaBytes == r.bound {
			s.meets++
		}
		s.time += math.Log(r.cells[s.strategy].PlanNS)
	}
}

// finish turns the sums of logarithms into means.
func (s *series) finish(n int) {
	if n == 0 {
		s.geomean, s.time = math.NaN(), math.NaN()
		return
	}
	s.geomean = math.Exp(s.geomean / float64(n))
	s.time = math.Exp(s.time / float64(n))
	if math.IsInf(s.time, 0) || s.time <= 0 {
		s.time = math.NaN()
	}
}

// scope says what the aggregates run over.
func (in *instances) scope() string {
	s := plural(len(in.names), in.noun)
	if n := in.all - len(in.names); n > 0 {
		s = fmt.Sprintf("%d of %s, those that every strategy planned safely", len(in.names), plural(in.all, in.noun))
	}
	if len(in.failed) > 0 {
		s += "; without a safe plan: " + list(in.failed, 4)
	}
	return s
}
