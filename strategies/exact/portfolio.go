package exact

import "math/rand/v2"

// tactic is a rule with the key of the order that breaks its ties.
type tactic struct {
	rule rule
	key  string
}

// tactics are tried one after the other with few nodes each, for a search that
// went wrong early seldom recovers, while another order of decisions often
// needs no more than a node per buffer.
var tactics = [...]tactic{
	{ruleFirsts, "WAT"}, {ruleLookWeight, "WAT"}, {ruleLowest, "TWA"}, {ruleValleyWeight, "WAT"},
	{ruleValley, "ZWT"}, {ruleSlackMore, "WAT"}, {ruleFirstsSlack, "WAT"}, {ruleSlack, "WAT"},
	{ruleLowest, "TAW"}, {ruleLookSlack, "WAT"}, {ruleLookValley, "TAW"}, {ruleFirsts, "TAW"},
	{ruleLowest, "WAT"}, {ruleValleyWeight, "TWA"},
}

const (
	firstNodes = 2   // nodes a buffer in the first round
	moreNodes  = 1.3 // factor from round to round
	roundNoise = 0.3 // of the order, from the second round on
)

// portfolio runs the tactics, each on the problem and on its mirror image.
// Every one of them is complete, so one that ends proves its answer.
type portfolio struct {
	engines [2]*engine // forward and mirrored
	weights [2 * len(tactics)][]float64
	random  *rand.Rand
	factors []float64 // scratch of noise
	limit   float64   // nodes of each tactic in the next round
	rounds  int
}

func newPortfolio(p *problem, forward *engine, seed uint64, halt func() bool) *portfolio {
	f := &portfolio{random: rand.New(rand.NewPCG(seed, 0x706f7274)), limit: firstNodes * float64(p.n)}
	f.engines = [2]*engine{forward, newEngine(p.mirror())}
	f.engines[1].halt = halt
	f.factors = make([]float64, p.n)
	all := make([]float64, len(f.weights)*p.m)
	for i := range all {
		all[i] = 1
	}
	for i := range f.weights {
		f.weights[i] = all[i*p.m : (i+1)*p.m : (i+1)*p.m]
	}
	return f
}

// budget returns the most nodes that the next round takes.
func (f *portfolio) budget() int64 { return int64(f.limit) * int64(len(f.weights)) }

// round runs all tactics at the capacity until one ends. It returns the engine
// that holds the plan, if there is one, and the nodes it took.
func (f *portfolio) round(capacity int64) (out outcome, winner *engine, nodes int64) {
	for i := range f.weights {
		t, e := tactics[i/2], f.engines[i%2]
		e.rule, e.probes, e.eps = t.rule, 5, 4
		e.setOrder(t.key, f.noise())
		copy(e.weight, f.weights[i])
		e.nodes, e.limit = 0, int64(f.limit)
		out = e.run(capacity)
		copy(f.weights[i], e.weight)
		nodes += e.nodes
		if out != open || e.halted {
			return out, e, nodes
		}
	}
	f.rounds++
	f.limit *= moreNodes
	return open, nil, nodes
}

// noise draws factors for an order, for every second round.
func (f *portfolio) noise() []float64 {
	if f.rounds%2 == 0 {
		return nil
	}
	for i := range f.factors {
		f.factors[i] = 1 + roundNoise*(2*f.random.Float64()-1)
	}
	return f.factors
}

// prover runs one tactic with a memory of refuted states, which needs the
// fewest nodes where nothing fits.
type prover struct {
	e        *engine
	capacity int64
	limit    float64
}

const proverNodes = 2000

func newProver(p *problem, halt func() bool) *prover {
	e := newEngine(p)
	e.halt, e.rule = halt, ruleFirsts
	e.setOrder("WAT", nil)
	return &prover{e: e, capacity: -1, limit: proverNodes}
}

// run searches at the capacity with at most the given nodes. What it learnt
// before at the same capacity is not lost.
func (v *prover) run(capacity, nodes int64) (outcome, int64) {
	e := v.e
	if e.seen == nil {
		e.seen = newMemory()
	}
	if capacity != v.capacity {
		v.capacity = capacity
		e.seen.clear()
		e.forget()
	}
	e.nodes, e.limit = 0, nodes
	out := e.run(capacity)
	return out, e.nodes
}
