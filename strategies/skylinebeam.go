package strategies

// Beam over skylines places buffers at the lowest stretch of the skyline as
// skyline does, but follows some tens of skylines at once, and keeps after each
// placement those that are sure to waste least. Runs differ in width, ranks and
// in how waste is weighed; each must end below the best arena so far.
//
// Complexity: O(b s), b placements, s stretches of steps in which nothing is
// born after a death. Unless Options.Decisions says otherwise, b is at most
// 64 n^2 and so small that it takes about a second; of tables of many thousand
// buffers that is too little for a run, and the plan is that of skyline-best.
//
// References: those of skyline; P. S. Ow and T. E. Morton, "Filtered beam
// search in scheduling", International Journal of Production Research 26(1),
// 1988, pages 35-62, doi:10.1080/00207548808947840 (beam search).
//
// Rule: what is placed at a step and what is still to be placed there add up to
// the least end of that step. A placement leaves it as it is; filling a stretch
// with nothing adds to it. A skyline is weighed by the sum over all stretches
// of (least end / peak of live bytes) to a power, and dropped once a least end
// is above what is aimed at. Its moves are the placements that the ranks prefer
// in its lowest stretch, and those in the next one once the lowest is raised
// although something fits. What a move leaves without any candidate beside it
// counts as wasted at once. Of skylines with the same buffers and weight one is
// kept. A run draws width, power and ranks anew, or varies those of the run
// that improved the plan last.
//
// Departures: the references have the parts, the whole is our own. The search
// starts from the plan of skyline-best and ends at the lower bound, after b
// placements, or with the time limit. With gaps or fixed offsets the plan is
// that of skyline-best.

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies/bound"
)

type skylineBeam struct{}

func (skylineBeam) Info() Info {
	return Info{
		Name:       "skyline-beam",
		Title:      "Beam over skylines",
		Summary:    "beam search over skylines, restarted; stops at the lower bound",
		Reference:  lowestSkyline{}.Info().Reference + "; P. S. Ow and T. E. Morton, Filtered beam search in scheduling, International Journal of Production Research 26(1), 1988, doi:10.1080/00207548808947840 (beam search)",
		Complexity: "O(b s), b placements, s stretches of time",
		Key:        "as skyline, with ranks drawn from the seed",
	}
}

func (skylineBeam) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return beamSkylines(ctx, t, o, beamRequest{})
}

// beamRequest is what a caller may ask of beamSkylines.
type beamRequest struct {
	decisions int64                // placements; 0: as the options say, by default about a second
	start     *lifetime.Plan       // to be improved; nil: that of skyline-best
	lower     *lifetime.Bound      // at which the search ends; nil: bound.Lower
	report    func(*lifetime.Plan) // called with each better plan, the first one too
}

// beamSkylines searches for a plan better than the start. It obeys seed,
// capacity, alignment and time limit of the options.
func beamSkylines(ctx context.Context, t *lifetime.Table, o Options, q beamRequest) (*lifetime.Plan, error) {
	ctx, cancel := limit(ctx, o)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun := time.Now()
	s, err := newSkyPlanner(t, o)
	if err != nil {
		return nil, err
	}
	if q.lower == nil {
		q.lower = bound.Lower(t, o.Align)
	}
	best := newSkyBest(q.lower, o, begun)
	best.report = q.report
	if q.start != nil {
		best.take(q.start)
	} else {
		s.portfolio(ctx, best)
	}
	if q.decisions == 0 {
		q.decisions = decisions(o, beamDecisions(s.table))
	}
	if q.decisions == 0 {
		q.decisions = math.MaxInt64 / 2 // only time ends it
	}
	if s.plain && !best.done() && q.decisions >= int64(len(s.all)) {
		newBeamSearch(s, best, o.Seed).run(ctx, q.decisions)
	}
	return best.end(), nil
}

// beamDecisions returns how many placements take about a second; of small
// tables fewer, for there is not so much to try.
func beamDecisions(t *skyTable) int64 {
	const second = 400e6
	n := int64(len(t.items))
	return min(64*n*n, second/(150+n/16+int64(t.sections)))
}

// beamSearch draws one run of the beam after another.
type beamSearch struct {
	*skyPlanner
	best *skyBest
	beam *beam
	rand *rand.Rand
	last *beamRecipe // of the run that found the best plan; nil if none did
	most int         // width
}

// beamRecipe is what differs between runs.
type beamRecipe struct {
	width  int       // skylines kept
	power  int       // of the least ends
	orders [][]int32 // of the items: of each rank
}

const (
	beamNarrow = 8  // least width drawn
	beamWide   = 30 // most width drawn at first
	beamRanks  = 5
	beamFlat   = 6   // least power drawn
	beamSteep  = 120 // most power drawn
)

func newBeamSearch(s *skyPlanner, best *skyBest, seed uint64) *beamSearch {
	r := rand.New(rand.NewPCG(seed, 0))
	return &beamSearch{skyPlanner: s, best: best, beam: newBeam(s.table, r), rand: r}
}

// run improves the best plan by so many placements at most.
func (g *beamSearch) run(ctx context.Context, budget int64) {
	const runs = 4 // at least, for a single one may go astray
	n := int64(len(g.all))
	g.most = int(max(1, min(int64(g.beam.widest()), budget/(runs*n))))
	until := g.best.decisions + budget
	for !g.best.done() && g.best.decisions+n <= until && ctx.Err() == nil {
		recipe := g.draw()
		g.beam.set(&recipe, g.below(g.best.plan))
		last := g.beam.run(ctx, &g.best.decisions, until)
		if last < 0 {
			continue
		}
		for ; last >= 0; last = g.beam.history[last].before {
			h := &g.beam.history[last]
			g.offsets[g.all[h.item].index] = h.offset
		}
		if g.best.take(lifetime.NewPlan(g.placement.table, g.offsets)) {
			g.last = &recipe
		}
	}
}

// draw makes a recipe: half of the time a variation of the one that was best.
func (g *beamSearch) draw() beamRecipe {
	var q beamRecipe
	if g.last != nil && g.rand.IntN(2) == 0 {
		q = *g.last
		q.width = max(2, int(float64(q.width)*g.between(2./3, 1.5)))
		q.power = max(2, int(float64(q.power)*g.between(2./3, 1.5)))
		q.orders = make([][]int32, len(g.last.orders))
		for k := range q.orders {
			q.orders[k] = append([]int32(nil), g.last.orders[k]...)
		}
	} else {
		wide := beamWide * math.Sqrt(1+float64(g.best.decisions)/(1<<21))
		q.width = int(g.between(beamNarrow, wide))
		q.power = int(g.between(beamFlat, beamSteep))
		q.orders = make([][]int32, 1+g.rand.IntN(beamRanks))
		for k := range q.orders {
			q.orders[k] = g.order()
		}
	}
	q.width = min(q.width, g.most)
	for _, order := range q.orders {
		g.perturb(order)
	}
	return q
}

// between draws from [low, high), small numbers more often.
func (g *beamSearch) between(low, high float64) float64 {
	return low * math.Exp(g.rand.Float64()*math.Log(high/low))
}

// order draws two keys and returns the items in their order.
func (g *beamSearch) order() []int32 {
	first := skyKey(g.rand.IntN(int(skyKeys)))
	second := skyKey(g.rand.IntN(int(skyKeys)))
	out := make([]int32, 0, len(g.all))
	for _, r := range g.ranker.order(first, second) {
		out = append(out, r.pos)
	}
	return out
}

// perturb swaps some items with others near them.
func (g *beamSearch) perturb(order []int32) {
	for range g.rand.IntN(1 + len(order)/8) {
		i := g.rand.IntN(len(order))
		j := min(len(order)-1, i+g.rand.IntN(6))
		order[i], order[j] = order[j], order[i]
	}
}
