package exact

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// Options bound a search.
type Options struct {
	Seed uint64
	// Decisions ends the search after about so many; 0: no end but that of the
	// context. What is found within a number of decisions depends on nothing
	// else: not on time, nor on GOMAXPROCS.
	Decisions int64
	// Start is a plan to be improved, or nil.
	Start *lifetime.Plan
	// LowerBound is proven, in bytes; 0 if nothing is known.
	LowerBound int64
	// Report, if not nil, is called each time one of the two bounds improved,
	// with the best plan so far. It must not keep the plan's offsets.
	Report func(*lifetime.Plan, lifetime.Improvement)
}

// Result is what a search came to.
type Result struct {
	// Plan is the best plan found, nil if there is none. Its LowerBound is
	// proven, by this search or as given in the options.
	Plan *lifetime.Plan
	// Refuted is the largest capacity in bytes for which the search has proven
	// that nothing fits, or -1; Part are the buffers it has proven it of.
	Refuted int64
	Part    []int
	Stats   lifetime.Stats
}

// Search looks for the smallest arena of a table. It can be run in pieces.
type Search struct {
	t       *lifetime.Table
	o       Options
	parts   *parts
	solvers []*solver
	stop    atomic.Bool
	elapsed time.Duration
	began   time.Time // of the piece that runs
	end     int64     // decisions at which it ends, or 0
	result  Result
	lower   int64 // proven, of the whole table
}

// NewSearch takes the table apart. It fails if the table is too large to be
// searched, with ErrTooLarge.
func NewSearch(t *lifetime.Table, o Options) (*Search, error) {
	s := &Search{t: t, o: o, lower: o.LowerBound}
	s.result.Refuted = -1
	var err error
	if s.parts, err = split(t); err != nil {
		return nil, err
	}
	s.lower = max(s.lower, s.parts.arena)
	for _, p := range s.parts.list {
		v := newSolver(p, o.Seed, s.stop.Load)
		v.lower = max(p.highestPin(), p.base+p.peak()*p.unit-slices.Max(p.pad))
		s.lower = max(s.lower, v.lower)
		s.solvers = append(s.solvers, v)
	}
	if o.Start != nil {
		s.Offer(o.Start)
	}
	return s, nil
}

// start begins a piece of the search. The returned function ends it.
func (s *Search) start(ctx context.Context, decisions int64) func() {
	s.began, s.end = time.Now(), 0
	if decisions > 0 {
		s.end = s.decisions() + decisions
	}
	s.stop.Store(ctx.Err() != nil)
	release := context.AfterFunc(ctx, func() { s.stop.Store(true) })
	return func() {
		release()
		s.elapsed += time.Since(s.began)
		s.result.Stats.Decisions, s.result.Stats.Elapsed = s.decisions(), s.elapsed
	}
}

// Feasible looks for a plan of the table within the capacity, in bytes. The
// status is Feasible with a plan, Infeasible if it is proven that there is
// none, else Timeout.
func Feasible(ctx context.Context, t *lifetime.Table, capacity int64, o Options) (Result, lifetime.Status, error) {
	s, err := NewSearch(t, o)
	if err != nil {
		return Result{}, lifetime.Failed, err
	}
	end := s.start(ctx, o.Decisions)
	status := s.fit(capacity)
	end()
	if status == lifetime.Feasible {
		s.result.Plan = s.plan()
	}
	return s.result, status, nil
}

// fit looks for plans of all parts within the capacity.
func (s *Search) fit(capacity int64) lifetime.Status {
	if s.parts.arena > capacity {
		s.result.Refuted, s.result.Part = s.parts.arena-1, slices.Sorted(slices.Values(s.parts.highest))
		return lifetime.Infeasible
	}
	// The tightest part first: it is the likeliest to refute the capacity.
	todo := slices.Clone(s.solvers)
	slices.SortStableFunc(todo, func(a, b *solver) int { return cmp.Compare(b.lower, a.lower) })
	for len(todo) > 0 {
		rest := todo[:0]
		for _, v := range todo {
			if s.over() {
				return lifetime.Timeout
			}
			switch v.epoch(capacity, false) {
			case unfit:
				s.refuted(v)
				return lifetime.Infeasible
			case open:
				rest = append(rest, v)
			}
		}
		todo = rest
	}
	return lifetime.Feasible
}

// over reports whether the search has to end.
func (s *Search) over() bool {
	return s.stop.Load() || s.end > 0 && s.decisions() >= s.end
}

func (s *Search) decisions() (sum int64) {
	for _, v := range s.solvers {
		sum += v.nodes
	}
	return sum
}

// refuted keeps the proof of a part if it is the best so far.
func (s *Search) refuted(v *solver) {
	if v.proof > s.result.Refuted {
		s.result.Refuted, s.result.Part = v.proof, slices.Concat(v.p.below, v.p.where)
		slices.Sort(s.result.Part)
	}
}

// plan puts the parts together.
func (s *Search) plan() *lifetime.Plan {
	offsets := slices.Clone(s.parts.offsets)
	for _, v := range s.solvers {
		for b, i := range v.p.where {
			offsets[i] = v.offsets[b]
		}
	}
	plan := lifetime.NewPlan(s.t, offsets)
	plan.LowerBound = s.lower
	return plan
}

// Minimize looks for the smallest arena of the table. It ends when the arena
// meets a proven bound, after the decisions of the options, or with the
// context: always with the best plan so far, unless it ended before there was
// any and none was given to start from.
func Minimize(ctx context.Context, t *lifetime.Table, o Options) (Result, error) {
	s, err := NewSearch(t, o)
	if err != nil {
		return Result{}, err
	}
	return s.Run(ctx, o.Decisions), nil
}

// Run goes on with the search for about so many decisions, or without end if
// they are 0, and returns what is known then. It may be called again.
func (s *Search) Run(ctx context.Context, decisions int64) Result {
	end := s.start(ctx, decisions)
	if s.begin() {
		s.note()
		for !s.Closed() && !s.over() {
			v := s.highest()
			v.lower = max(v.lower, s.lower)
			improve(v)
			s.refuted(v)
			s.note()
		}
		s.result.Plan = s.plan()
	}
	end()
	return s.result
}

// begin gives each part a plan, and reports whether it could.
func (s *Search) begin() bool {
	for _, v := range s.solvers {
		if v.offsets == nil && !s.first(v) {
			return false
		}
	}
	return true
}

// Closed reports whether there is nothing left to search.
func (s *Search) Closed() bool {
	v := s.highest()
	return v == nil || v.best <= s.lower || v.closed()
}

// Offer makes the search go on from a plan found elsewhere, where it is better.
func (s *Search) Offer(p *lifetime.Plan) {
	for _, v := range s.solvers {
		var arena int64
		offsets := make([]int64, v.p.n)
		for b, i := range v.p.where {
			offsets[b] = settled(s.t, p, i, v.p.below)
			arena = max(arena, offsets[b]+s.t.Buffers[i].Size)
		}
		if v.offsets == nil || arena < v.best {
			v.best, v.offsets = arena, offsets
		}
	}
}

// settled returns the offset of buffer i once the buffers that are to lie at
// the bottom have sunk there: it moves up by those that lay above it.
func settled(t *lifetime.Table, p *lifetime.Plan, i int, bottom []int) int64 {
	offset := p.Offsets[i]
	for _, x := range bottom {
		if p.Offsets[x] > p.Offsets[i] {
			offset += t.Buffers[x].Size
		}
	}
	return offset
}

// improve works one epoch at a part.
func improve(v *solver) {
	if v.epochs == 0 {
		v.epoch(v.lower, false)
		return
	}
	v.epoch(v.lower, true)
}

// first gives the part a plan, the one that a dive without a ceiling finds.
func (s *Search) first(v *solver) bool {
	e := v.first
	e.rule, e.nodes, e.limit = ruleValley, 0, never
	e.setOrder("WAT", nil)
	out := e.run(v.p.ample())
	v.nodes += e.nodes
	return out == fits && v.take(e)
}

// highest returns the part that the arena is as large as, if it can shrink.
func (s *Search) highest() (out *solver) {
	for _, v := range s.solvers {
		if out == nil || v.best > out.best {
			out = v
		}
	}
	return out
}

// note records the bounds if one of them improved.
func (s *Search) note() {
	arena := s.parts.arena
	for _, v := range s.solvers {
		s.lower = max(s.lower, v.lower)
		arena = max(arena, v.best)
	}
	list := s.result.Stats.Improvements
	if n := len(list); n > 0 && list[n-1].Arena == arena && list[n-1].LowerBound == s.lower {
		return
	}
	now := lifetime.Improvement{Decisions: s.decisions(), Elapsed: s.elapsed + time.Since(s.began), Arena: arena, LowerBound: s.lower}
	s.result.Stats.Improvements = append(list, now)
	if s.o.Report != nil {
		s.o.Report(s.plan(), now)
	}
}

// highestPin returns the largest end, in bytes, of a fixed buffer, or 0.
func (p *problem) highestPin() (end int64) {
	for b, pin := range p.pin {
		if pin >= 0 {
			end = max(end, (pin+p.size[b])*p.unit-p.pad[b])
		}
	}
	return end
}

// ample returns a capacity in which every plan fits where nothing can move
// down.
func (p *problem) ample() int64 {
	sum := p.highestPin() + p.base
	for b := range p.n {
		sum += (p.size[b] + p.align[b]) * p.unit
	}
	return sum
}
