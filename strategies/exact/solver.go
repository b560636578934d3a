package exact

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/arenalab/arenalab/internal/pair"
)

// solver searches one part of a table, in epochs of a given number of nodes.
// Two lines of search run side by side in an epoch and learn from each other
// only between epochs, so that what they find depends on no clock.
type solver struct {
	p     *problem
	lower int64 // bytes: proven
	best  int64 // bytes: of the offsets
	// offsets are of the best plan so far, in bytes, by buffer of the problem.
	offsets []int64
	proof   int64 // bytes: the largest capacity that a search has refuted, or -1
	nodes   int64

	halt    func() bool
	decided atomic.Bool // the first line has settled the epoch
	random  *rand.Rand
	first   *engine
	folio   *portfolio
	prove   *prover
	lines   [2]*beam
	epochs  int
	seed    uint64
}

func newSolver(p *problem, seed uint64, halt func() bool) *solver {
	s := &solver{p: p, proof: -1, halt: halt, seed: seed, random: rand.New(rand.NewPCG(seed, 0x736f6c76))}
	s.first = newEngine(p)
	s.first.halt = halt
	return s
}

// take keeps the plan that the engine holds if it is better, and reports
// whether it was. A plan that overlaps would be a mistake of the search, and is
// not taken.
func (s *solver) take(e *engine) bool {
	if !s.p.safe(e.r) {
		return false
	}
	var arena int64
	for b := range s.p.n {
		arena = max(arena, (e.r[b]+s.p.size[b])*s.p.unit-s.p.pad[b]+s.p.base)
	}
	if s.offsets != nil && arena >= s.best {
		return false
	}
	s.best = arena
	if s.offsets == nil {
		s.offsets = make([]int64, s.p.n)
	}
	for b := range s.offsets {
		s.offsets[b] = e.r[b]*s.p.unit + s.p.base
	}
	return true
}

// safe reports whether no two buffers of the offsets share bytes when both are
// live.
func (p *problem) safe(offsets []int64) bool {
	for b := range int32(p.n) {
		if offsets[b]%p.align[b] != 0 || p.pin[b] >= 0 && p.pin[b] != offsets[b] || !p.apart(b, offsets) {
			return false
		}
		for _, c := range p.nbr.of(b) {
			if offsets[b] < offsets[c]+p.size[c] && offsets[c] < offsets[b]+p.size[b] {
				return false
			}
		}
	}
	return true
}

// refute notes that nothing fits into the capacity.
func (s *solver) refute(capacity int64) {
	if capacity > s.proof {
		s.proof = capacity
		s.lower = max(s.lower, s.p.above(capacity))
	}
}

func (s *solver) closed() bool { return s.offsets != nil && s.best <= s.lower }

// finding is what a line of search brings home from an epoch.
type finding struct {
	out      outcome
	capacity int64 // that out is about
	winner   *engine
	nodes    int64
}

// epoch works at the capacity target, or below it as far as chance has it if
// roam is set. It returns how the search at the target stands.
//
// The first epochs settle what can be settled soon. What is left after some of
// them mostly needs the luck of beams: two of three then are beams alone.
func (s *solver) epoch(target int64, roam bool) outcome {
	if s.epochs == 0 {
		return s.dive(target)
	}
	if s.folio == nil {
		s.prepare()
	}
	s.epochs++
	var found [3]finding
	if s.epochs > soonEpochs && s.epochs%3 > 0 {
		s.beams(found[:], target, roam)
	} else {
		s.mixed(found[:], target, roam)
	}
	return s.merge(found[:], target)
}

const (
	soonEpochs = 4
	// Beams run beside the portfolio once it takes beamLeast nodes a buffer,
	// and alone they take about beamAlone, yet no more than beamMost in all.
	beamLeast = 100
	beamAlone = 400
	beamMost  = 150_000
)

func (s *solver) prepare() {
	s.folio = newPortfolio(s.p, s.first, s.seed, s.halt)
	second := func() bool { return s.halt() || s.decided.Load() }
	s.prove = newProver(s.p, second)
	s.lines[0], s.lines[1] = newBeam(s.p, s.seed, s.halt), newBeam(s.p, s.seed+1<<32, second)
}

// beams runs two of them.
func (s *solver) beams(found []finding, target int64, roam bool) {
	nodes := max(s.folio.budget(), min(beamAlone*int64(s.p.n), beamMost))
	for i := range s.lines {
		found[i].capacity = target
		if roam {
			found[i].capacity = s.aim()
		}
	}
	line := func(i int) {
		f := &found[i]
		f.out, f.winner, f.nodes = s.lines[i].run(f.capacity, nodes)
	}
	s.together(found, roam, func() { line(0) }, func() { line(1) })
}

// mixed runs the portfolio beside the prover and a beam.
func (s *solver) mixed(found []finding, target int64, roam bool) {
	tactics, refute, random := target, target, target
	if roam {
		tactics, refute, random = s.aim(), s.lower+s.steps(s.epochs%3, 2), s.aim()
		if s.epochs%2 == 0 {
			tactics = s.lower
		}
	}
	budget := s.folio.budget()
	s.together(found, roam, func() {
		f := &found[0]
		f.capacity = tactics
		f.out, f.winner, f.nodes = s.folio.round(tactics)
	}, func() {
		if s.epochs == 2 {
			return // the first round mostly decides
		}
		f, g := &found[1], &found[2]
		f.capacity, g.capacity = refute, random
		f.out, f.nodes = s.prove.run(refute, budget/4+proverNodes)
		if f.winner = s.prove.e; f.out == open && budget > beamLeast*int64(s.p.n) {
			g.out, g.winner, g.nodes = s.lines[1].run(random, budget-f.nodes)
		}
	})
}

// together runs two lines of search. If the first settles the target the second
// ends, and what it was at, which depends on time, is forgotten.
func (s *solver) together(found []finding, roam bool, first, second func()) {
	s.decided.Store(false)
	pair.Run(func() {
		first()
		s.decided.Store(found[0].out != open && !roam)
	}, func() {
		if !s.decided.Load() {
			second()
		}
	})
	if s.decided.Load() {
		clear(found[1:])
	}
}

// merge keeps what the lines of search have found.
func (s *solver) merge(found []finding, target int64) outcome {
	out := open
	for i := range found {
		f := &found[i]
		s.nodes += f.nodes
		switch {
		case f.out == fits:
			s.take(f.winner)
			if s.offsets != nil && s.best <= target {
				out = fits
			}
		case f.out == unfit:
			s.refute(f.capacity)
			if f.capacity >= target {
				out = unfit
			}
		}
	}
	return out
}

// dive is the first epoch: the tactic that most often needs no more.
func (s *solver) dive(target int64) outcome {
	s.epochs++
	e := s.first
	e.rule = tactics[0].rule
	e.setOrder(tactics[0].key, nil)
	e.nodes, e.limit = 0, int64(firstNodes*float64(s.p.n))
	out := e.run(target)
	s.nodes += e.nodes
	switch out {
	case fits:
		if !s.take(e) && (s.offsets == nil || s.best > target) {
			return open
		}
	case unfit:
		s.refute(target)
	}
	return out
}

// steps returns k/of of the way from the lower bound to below the best arena,
// in whole units.
func (s *solver) steps(k, of int) int64 {
	units := (s.best - 1 - s.lower) / s.p.unit
	return units * int64(k) / int64(of) * s.p.unit
}

// aim draws a capacity at which a plan would be better than the best. Tight
// ones prune more and are not much harder to meet, so half are the tightest,
// and the others mostly near them.
func (s *solver) aim() int64 {
	units := (s.best - 1 - s.lower) / s.p.unit
	if units <= 0 {
		return s.lower
	}
	u := s.random.Float64()
	if s.random.IntN(2) == 0 {
		return s.lower + s.random.Int64N(min(units, tightest)+1)*s.p.unit
	}
	return s.lower + int64(u*u*float64(units+1))*s.p.unit
}

// tightest is how many units above the bound half of the aims are at most.
const tightest = 2
