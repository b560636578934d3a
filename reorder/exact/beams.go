package exact

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

// firstWidth is the width of the first beam.
const firstWidth = 4

// defaultBeamSteps is what Beam does if Options.Steps is 0.
const defaultBeamSteps = 20_000_000

// Beam is Solve with beams for a search: of the states with as many operators in
// them each keeps a number that have the least live bytes, within a budget that
// a better order has to meet, forward and back in time. Beams get wider as long
// as there are steps left. The bracket comes from bounds that take no flows.
func Beam(ctx context.Context, m *graph.Memory, o Options) (*Result, error) {
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	if o.Steps == 0 {
		o.Steps = defaultBeamSteps
	}
	ctx, cancel := o.limited(ctx)
	defer cancel()
	s := newSolver(ctx, m, net, o)
	s.begin()
	for width := firstWidth; !s.bounded() && s.lower < s.upper(); width *= 2 {
		if !s.beams(width) {
			break
		}
		s.stats.Rounds++
	}
	return s.result(), nil
}

// beams runs beams of a width for better and better orders until they find
// none. It reports whether there is memory for wider ones.
func (s *solver) beams(width int) bool {
	step := s.upper() - s.lower
	for s.lower < s.upper() && !s.bounded() {
		high := s.net.below(s.upper())
		budget := max(min(s.net.up(s.upper()-step), high), s.lower)
		if s.meet(budget, width) {
			s.tell()
			continue
		}
		if budget >= high {
			break
		}
		step /= 4
	}
	return int64(8*width)*int64(s.net.walkBytes()) < s.o.Memory
}

// widen looks for a better order with beams that take a part of the work.
func (s *solver) widen(work int64) {
	most := s.o.Memory / int64(8*s.net.walkBytes())
	if width := min(work/int64(beamSteps*(s.net.n+1)), most); width >= firstWidth && s.lower < s.upper() {
		s.meet(s.net.below(s.upper()), int(width))
	}
}

// beamSteps is roughly what a state of a beam takes.
const beamSteps = 16

// meet looks for an order within the budget with beams of a width.
func (s *solver) meet(budget int64, width int) bool {
	for _, p := range s.parts {
		if p.peak <= budget {
			continue
		}
		var order []int32
		for _, back := range []bool{true, false} {
			if s.bounded() {
				return false
			}
			b := beam{net: s.net, part: p, back: back, budget: budget, width: width}
			order = b.run(s.over)
			s.stats.Steps += b.work
			s.stats.States += b.states
			if order != nil {
				break
			}
		}
		if order == nil {
			return false
		}
		s.replace(p, order)
	}
	return true
}
