package report

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report/internal/table"
)

// row is one model under one profile and order: what the strategies made of
// the same lifetime table.
type row struct {
	name      string // cleaned
	operators int
	buffers   int
	twin      bool  // same bytes as a row before it: shown, but counted once
	bound     int64 // the best proven one
	best      int64 // smallest safe arena, -1 if there is none
	cells     map[string]*bench.Record
}

// ratio returns arena over bound, and false if the strategy has no safe plan
// or the ratio is not defined.
func (r *row) ratio(strategy string) (float64, bool) {
	rec := r.safe(strategy)
	switch {
	case rec == nil:
		return 0, false
	case rec.ArenaBytes == r.bound:
		return 1, true
	case rec.ArenaBytes == 0 || r.bound <= 0:
		return 0, false
	}
	return float64(rec.ArenaBytes) / float64(r.bound), true
}

func (r *row) safe(strategy string) *bench.Record {
	if rec := r.cells[strategy]; rec != nil && safe(rec) {
		return rec
	}
	return nil
}

// column is a strategy over the common rows of a block.
type column struct {
	strategy    string
	safe        int     // safe plans over all rows
	geomean     float64 // of arena over bound
	worst       float64
	meets       int // arenas that equal the bound
	best, alone int // arenas that no other strategy beats; equals
	time        float64
	timeWorst   float64
	frag        float64 // median
	fragWorst   float64
}

// block is the part of a run whose arenas may be compared: one profile, one
// order and one alignment.
type block struct {
	profile, order string
	align          int64 // least alignment asked for, 0 if none was
	tables         bool
	rows           []*row // in input order
	byName         map[string]*row
	byContent      map[content]*row
	columns        []*column // worst to best by geomean
	common         []*row    // where every strategy that ever succeeds has a ratio
	left           []*row    // the others
}

// matrix is a run, sorted out.
type matrix struct {
	blocks     []*block
	strategies int
	models     int
	tables     int
	orders     int // of models
	profiles   int // of models
	plans      int
	status     map[string]int // word → cells
	unread     []*bench.Record
	host       bench.Host
	reps       [2]int // least and most repetitions of a timed cell
}

// safe reports whether the record is of a plan that may be counted.
func safe(rec *bench.Record) bool { return rec.Safe() && rec.ArenaBytes >= 0 }

// statusWord is the word for the outcome of a cell.
func statusWord(rec *bench.Record) string {
	switch {
	case safe(rec):
		return "safe"
	case rec.Status == lifetime.Feasible || rec.Status == lifetime.Optimal:
		return "unsafe"
	}
	return rec.Status.String()
}

func rowName(rec *bench.Record) string {
	if rec.Model == "" {
		return table.Clean(rec.Path)
	}
	return table.Clean(rec.Model)
}

// sourceOf tells tables from models, as far as the record of a file that was
// not read can.
func sourceOf(rec *bench.Record) string {
	if rec.Source == "" && strings.HasSuffix(rec.Path, ".csv") {
		return "table"
	}
	return rec.Source
}

// newMatrix groups the records. Of several records of one cell the last counts,
// unless it is the only one that failed.
func newMatrix(recs []bench.Record) *matrix {
	type blockKey struct {
		profile, order string
		align          int64
	}
	m := &matrix{status: map[string]int{}}
	blocks := map[blockKey]*block{}
	names := map[string]string{} // source by name
	unread := map[string]bool{}
	for i := range recs {
		rec := &recs[i]
		name := rowName(rec)
		if source := sourceOf(rec); source != "" || names[name] == "" {
			names[name] = source
		}
		if rec.Strategy == "" {
			if key := name + "\x00" + rec.Error; !unread[key] {
				unread[key] = true
				m.unread = append(m.unread, rec)
			}
			continue
		}
		bk := blockKey{rec.Profile, rec.Order, rec.Align}
		b := blocks[bk]
		if b == nil {
			b = &block{
				profile: table.Clean(rec.Profile), order: table.Clean(rec.Order), align: rec.Align,
				tables: rec.Source == "table", byName: map[string]*row{},
				byContent: map[content]*row{},
			}
			blocks[bk] = b
			m.blocks = append(m.blocks, b)
		}
		r := b.byName[name]
		if r == nil {
			r = &row{name: name, best: -1, cells: map[string]*bench.Record{}}
			b.add(r, rec)
		}
		if old := r.cells[rec.Strategy]; old == nil || safe(rec) || !safe(old) {
			r.cells[rec.Strategy] = rec
		}
	}
	for _, source := range names {
		if source == "table" {
			m.tables++
		} else {
			m.models++
		}
	}
	m.finish()
	return m
}

// storedOrder is the order that others are compared with.
const storedOrder = "stored"

// sortBlocks puts the blocks of a profile together, the stored order first.
func (m *matrix) sortBlocks() {
	var profiles []string
	for _, b := range m.blocks {
		if !slices.Contains(profiles, b.profile) {
			profiles = append(profiles, b.profile)
		}
	}
	slices.SortStableFunc(m.blocks, func(a, b *block) int {
		return cmp.Or(
			cmp.Compare(slices.Index(profiles, a.profile), slices.Index(profiles, b.profile)),
			-cmp.Compare(btoi(a.order == storedOrder), btoi(b.order == storedOrder)))
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// noun names what is planned.
func (m *matrix) noun() string {
	switch {
	case m.tables == 0:
		return "model"
	case m.models == 0:
		return "table"
	}
	return "case"
}

// finish derives what blocks say about each other.
func (m *matrix) finish() {
	m.sortBlocks()
	strategies, orders, profiles := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, b := range m.blocks {
		b.finish()
		for _, c := range b.columns {
			strategies[c.strategy] = true
		}
		if !b.tables {
			orders[b.order] = true
			profiles[b.profile] = true
		}
		m.count(b)
	}
	m.strategies, m.orders, m.profiles = len(strategies), len(orders), len(profiles)
}

func (m *matrix) count(b *block) {
	for _, r := range b.rows {
		for _, c := range b.columns {
			rec := r.cells[c.strategy]
			if rec == nil {
				continue
			}
			m.plans++
			m.status[statusWord(rec)]++
			if n := rec.PlanReps; n > 0 && safe(rec) {
				if m.reps[0] == 0 {
					m.reps = [2]int{n, n}
				}
				m.reps = [2]int{min(m.reps[0], n), max(m.reps[1], n)}
			}
			m.host = rec.Host
		}
	}
}

// content identifies what was planned.
type content struct {
	hash     string
	subgraph int
}

func (b *block) add(r *row, rec *bench.Record) {
	b.byName[r.name] = r
	b.rows = append(b.rows, r)
	if rec.Hash == "" {
		return
	}
	key := content{rec.Hash, rec.Subgraph}
	if b.byContent[key] != nil {
		r.twin = true
	} else {
		b.byContent[key] = r
	}
}

func (b *block) noun() string {
	if b.tables {
		return "table"
	}
	return "model"
}

// twins returns how many rows have the bytes of another.
func (b *block) twins() int { return len(b.rows) - len(b.common) - len(b.left) }

// finish derives what rows and columns say about each other.
func (b *block) finish() {
	byName := map[string]*column{}
	for _, r := range b.rows {
		for name, rec := range r.cells {
			c := byName[name]
			if c == nil {
				c = &column{strategy: name}
				byName[name] = c
				b.columns = append(b.columns, c)
			}
			r.operators = max(r.operators, rec.Operators)
			r.buffers = max(r.buffers, rec.Buffers)
			r.bound = max(r.bound, rec.LowerBoundBytes)
			if safe(rec) {
				c.safe++
				if r.best < 0 || rec.ArenaBytes < r.best {
					r.best = rec.ArenaBytes
				}
			}
		}
	}
	for _, r := range b.rows {
		switch {
		case r.twin:
		case b.isCommon(r):
			b.common = append(b.common, r)
		default:
			b.left = append(b.left, r)
		}
	}
	for _, c := range b.columns {
		c.aggregate(b.common)
	}
	slices.SortFunc(b.columns, func(x, y *column) int {
		return cmp.Or(
			-cmp.Compare(rank(x), rank(y)),
			cmp.Compare(x.safe, y.safe),
			cmp.Compare(x.best, y.best),
			cmp.Compare(x.strategy, y.strategy))
	})
}

// rank is the key by which columns are sorted: those that have no aggregate
// come first, as the worst.
func rank(c *column) float64 {
	if math.IsNaN(c.geomean) {
		return math.Inf(1)
	}
	return c.geomean
}

func (b *block) isCommon(r *row) bool {
	any := false
	for _, c := range b.columns {
		if c.safe == 0 {
			continue
		}
		any = true
		if _, ok := r.ratio(c.strategy); !ok {
			return false
		}
	}
	return any
}

func (c *column) aggregate(rows []*row) {
	c.geomean, c.worst = math.NaN(), math.NaN()
	c.time, c.timeWorst, c.frag, c.fragWorst = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if c.safe == 0 || len(rows) == 0 {
		return
	}
	var logs float64
	var times, frags []float64
	for _, r := range rows {
		ratio, _ := r.ratio(c.strategy)
		rec := r.cells[c.strategy]
		logs += math.Log(ratio)
		c.worst = math.Max(ratio, nanTo(c.worst, ratio))
		if rec.ArenaBytes == r.bound {
			c.meets++
		}
		if rec.ArenaBytes == r.best {
			c.best++
			if r.bestCount() == 1 {
				c.alone++
			}
		}
		times = append(times, rec.PlanNS)
		frags = append(frags, rec.Fragmentation)
	}
	c.geomean = math.Exp(logs / float64(len(rows)))
	if c.meets == len(rows) {
		c.geomean = 1 // no rounding where all is exact
	}
	c.time, c.timeWorst = median(times), slices.Max(times)
	c.frag, c.fragWorst = median(frags), slices.Max(frags)
}

func nanTo(x, other float64) float64 {
	if math.IsNaN(x) {
		return other
	}
	return x
}

// bestCount returns how many strategies share the best arena of the row.
func (r *row) bestCount() int {
	n := 0
	for _, rec := range r.cells {
		if safe(rec) && rec.ArenaBytes == r.best {
			n++
		}
	}
	return n
}

// median returns the middle of the values, NaN if there are none. It sorts
// them.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sort.Float64s(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
