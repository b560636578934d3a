package bench

import (
	"cmp"
	"math"
	"slices"
)

// Summary compares strategies over the units that all of them planned safely.
type Summary struct {
	Strategies []StrategySummary // ascending by name
	Units      int               // units in the comparison
	Excluded   []string          // models with a unit that some strategy did not plan, ascending
}

// StrategySummary is one strategy over the common units. Gaps are relative to
// the lower bound of each unit.
type StrategySummary struct {
	Strategy  string
	Cells     int     // of this strategy, all units
	Failed    int     // of these, without a safe plan
	GeoMean   float64 // geometric mean of arena / bound, at least 1
	MedianGap float64
	WorstGap  float64
	AtBound   int     // units whose arena equals the bound
	Best      int     // units where no strategy is smaller
	BestAlone int     // units where every other strategy is larger
	MedianNS  float64 // median over the units of the median planning time
}

// unitKey tells units apart. Files with the same bytes count once.
type unitKey struct {
	hash, path, profile, order string
	subgraph                   int
	align                      int64
}

func (r *Record) unitKey() unitKey {
	k := unitKey{r.Hash, "", r.Profile, r.Order, r.Subgraph, r.Align}
	if r.Hash == "" {
		k.path = r.Path
	}
	return k
}

// Summarize compares the strategies of the records. Averages are over the
// common units only, so that nobody gains by failing. If a cell is there more
// than once, the last record counts.
func Summarize(recs []Record) Summary {
	byUnit := make(map[unitKey]map[string]*Record)
	var units []unitKey
	cells := make(map[string]*StrategySummary)
	for i := range recs {
		r := &recs[i]
		k := r.unitKey()
		if byUnit[k] == nil {
			byUnit[k] = make(map[string]*Record)
			units = append(units, k)
		}
		byUnit[k][r.Strategy] = r
		if r.Strategy != "" {
			cells[r.Strategy] = &StrategySummary{Strategy: r.Strategy}
		}
	}
	var s Summary
	var common []map[string]*Record
	for _, k := range units {
		if missing := count(byUnit[k], cells); missing > 0 {
			s.Excluded = append(s.Excluded, anyModel(byUnit[k]))
			continue
		}
		common = append(common, byUnit[k])
	}
	slices.Sort(s.Excluded)
	s.Excluded = slices.Compact(s.Excluded)
	s.Units = len(common)
	for _, sum := range cells {
		sum.over(common)
		s.Strategies = append(s.Strategies, *sum)
	}
	slices.SortFunc(s.Strategies, func(a, b StrategySummary) int { return cmp.Compare(a.Strategy, b.Strategy) })
	return s
}

// count adds the cells of a unit to the strategies and returns how many of
// these have no safe plan for it.
func count(unit map[string]*Record, all map[string]*StrategySummary) (missing int) {
	for name, sum := range all {
		r := unit[name]
		if r != nil {
			sum.Cells++
		}
		if r == nil || !r.Safe() {
			missing++
		}
		if r != nil && !r.Safe() {
			sum.Failed++
		}
	}
	return missing
}

func anyModel(unit map[string]*Record) string {
	name := ""
	for _, r := range unit {
		if name == "" || r.Model < name {
			name = r.Model
		}
	}
	return name
}

// over computes the figures of a strategy over the common units.
func (s *StrategySummary) over(common []map[string]*Record) {
	if len(common) == 0 {
		return
	}
	var logs float64
	gaps, times := make([]float64, 0, len(common)), make([]float64, 0, len(common))
	for _, unit := range common {
		r := unit[s.Strategy]
		logs += math.Log1p(r.Gap)
		gaps, times = append(gaps, r.Gap), append(times, r.PlanNS)
		if r.ArenaBytes == r.LowerBoundBytes {
			s.AtBound++
		}
		best, alone := true, true
		for name, other := range unit {
			if name == s.Strategy {
				continue
			}
			best = best && r.ArenaBytes <= other.ArenaBytes
			alone = alone && r.ArenaBytes < other.ArenaBytes
		}
		if best {
			s.Best++
		}
		if alone {
			s.BestAlone++
		}
	}
	s.GeoMean = math.Exp(logs / float64(len(common)))
	s.WorstGap = slices.Max(gaps)
	s.MedianGap, s.MedianNS = median(gaps), median(times)
}

// median returns the median and sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return values[n/2-1]/2 + values[n/2]/2
}
