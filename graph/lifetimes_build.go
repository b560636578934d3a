package graph

import (
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

// NewLifetimes returns the lifetime table of subgraph s of m when its operators
// run in order o on a runtime described by p. The order must be one that
// CheckOrder accepts.
//
// If the profile plans subgraphs together, the table holds those that s calls
// as well, in stored order, and for subgraph 0 those that nothing calls. Else
// they are not part of the table; a note names them.
//
// Rows are in tensor order, working memory after them, unless the profile says
// otherwise. O(n log n) in the size of the subgraph, plus what calls lead to.
func NewLifetimes(m *Model, s *Subgraph, o Order, p Profile) (*Lifetimes, error) {
	if s.Index >= len(m.Subgraphs) || m.Subgraphs[s.Index] != s {
		return nil, fmt.Errorf("%s: subgraph %d is not one of the model", m.Name, s.Index)
	}
	if err := s.CheckOrder(o); err != nil {
		return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, s.Index, err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	b := newBuilder(m, s, p)
	b.walk(b.open(s, o), false)
	b.close()
	b.pin(o)
	b.rows()
	b.notes()
	if err := b.out.Table.Validate(); err != nil {
		return nil, fmt.Errorf("%s: subgraph %d: %w", m.Name, s.Index, err)
	}
	return &b.out, nil
}

func newBuilder(m *Model, s *Subgraph, p Profile) *builder {
	return &builder{m: m, s: s, p: p, k: kernelsOf(p.Kernels), subs: make([]*sub, len(m.Subgraphs))}
}

// life is a half-open interval of steps; born < 0 if nothing makes the tensor.
type life struct{ born, end int64 }

// forever stands for the end of the table until that is known.
const forever = int64(1) << 62

type builder struct {
	m    *Model
	s    *Subgraph
	p    Profile
	k    kernels
	out  Lifetimes
	subs []*sub // by index: what is known of subgraphs in the table, else nil
	end  int64  // of the table
	// nowhere is the time of what nothing uses, -1 if there is nothing.
	nowhere int64
	pins    [][]int64 // offsets by subgraph and tensor, nil if there are none
	unpinned,
	unknownWorkspace string // for notes
}

// sub is a subgraph in the table.
type sub struct {
	s       *Subgraph
	order   Order
	ops     []int // in order of execution
	lives   []life
	kinds   []lifetime.Kind
	root    []int         // by tensor: the one whose memory it uses, mostly itself
	away    []Reason      // by tensor: why the rules of kernels keep it out of the arena
	sizes   map[int]int64 // by tensor: its bytes, if not those of the file
	stop    int           // position in ops of the last operator that is planned
	lending lending
	visited bool
	active  bool
	scratch []scratch // by operator
	from    []int32   // by operator: where in scratch it begins; one more at the end
}

// scratch is working memory in the table.
type scratch struct {
	request
	op   int
	life life
}

func (b *builder) step(s *Subgraph, op int) { b.out.Steps = append(b.out.Steps, Step{s.Index, op}) }

func (b *builder) now() int64 { return int64(len(b.out.Steps)) }

// open prepares a subgraph for the walk.
func (b *builder) open(s *Subgraph, o Order) *sub {
	n := len(s.Tensors)
	x := &sub{
		s: s, order: o, ops: o.Ops, lives: make([]life, n), kinds: make([]lifetime.Kind, n),
		root: make([]int, n), away: make([]Reason, n), stop: len(o.Ops),
	}
	b.subs[s.Index] = x
	for t := range x.lives {
		x.lives[t].born, x.root[t] = -1, t
	}
	if b.k.resizes {
		x.sizes = x.resize()
	}
	dynamic, known := b.m.dynamicOps(s.Index)
	b.settle(x, dynamic, known)
	b.lend(x)
	b.unclaim(x)
	b.request(x, known)
	switch b.p.InPlace {
	case InPlaceTFLite:
		b.share(x)
	case InPlaceLastUse:
		b.succeed(x)
	}
	return x
}

// settle finds the tensors that are not in the arena although an operator
// makes them.
func (b *builder) settle(x *sub, dynamic []int, known []bool) {
	isDynamic := make([]bool, len(x.s.Ops))
	for _, i := range dynamic {
		isDynamic[i] = true
	}
	for at, i := range x.ops {
		op := &x.s.Ops[i]
		for _, t := range op.Outputs {
			switch {
			case at > x.stop:
				x.away[t] = IsLater
			case b.p.StaticOnly && isDynamic[i] && op.Code == OpReshape && x.sizes != nil:
				x.sizes[t] = b.bytes(x, &x.s.Tensors[op.Inputs[0]]) // is planned nevertheless
			case b.p.StaticOnly && isDynamic[i]:
				x.away[t] = IsDynamic
			case b.k.handle != "" && op.Code == OpVarHandle:
				x.away[t] = b.k.handle
			case b.k.folds && known[t]:
				x.away[t] = IsFolded
			case b.k.folds && cached(x.s, op):
				x.away[t] = IsCached
			}
		}
		if b.p.StaticOnly && isDynamic[i] && x.stop == len(x.ops) {
			x.stop = at
		}
		if b.k.folds && OpName(op.Code) == "LSTM" && len(op.Inputs) == lstmBasicOperands {
			for _, k := range []int{1, 4} { // its state, graph inputs or not
				if t := operand(op, k); t >= 0 && !x.s.Tensors[t].Constant {
					x.away[t] = IsCached
				}
			}
		}
	}
}

// cached reports whether TFLite keeps the result of an operator after the
// first run, as its operand never changes.
func cached(s *Subgraph, op *Op) bool {
	t := operand(op, 0)
	if t < 0 || !s.Tensors[t].Constant {
		return false
	}
	name := OpName(op.Code)
	return name == "DEQUANTIZE" || name == "DENSIFY"
}

// request asks the kernels for their working memory.
func (b *builder) request(x *sub, known []bool) {
	if b.k.requests == nil {
		return
	}
	x.from = make([]int32, len(x.s.Ops)+1)
	for i := range x.s.Ops {
		list, ok := b.k.requests(x.s, &x.s.Ops[i], known)
		if !ok && b.unknownWorkspace == "" {
			b.unknownWorkspace = fmt.Sprintf("subgraph %d operator %d %s", x.s.Index, i, x.s.Ops[i].Name())
		}
		for _, r := range list {
			x.scratch = append(x.scratch, scratch{r, i, life{-1, 0}})
		}
		x.from[i+1] = int32(len(x.scratch))
	}
}

// requests returns the working memory of an operator.
func (x *sub) requests(i int) []scratch {
	if x.from == nil {
		return nil
	}
	return x.scratch[x.from[i]:x.from[i+1]]
}

// walk lays out the steps of a subgraph, and of those it calls where it calls
// them, and finds the lives of its tensors. All intervals of runtimes are
// closed, so the step of the last reader is included. What a caller needs of a
// call lives from before it until after it.
func (b *builder) walk(x *sub, called bool) {
	x.active, x.visited = true, true
	if called || b.p.EntryStep {
		b.step(x.s, Entry)
	}
	start := max(b.now()-1, 0)
	for _, t := range x.s.Inputs {
		x.birth(t, start)
		x.use(t, start+1)
		x.kinds[t] = lifetime.Input
	}
	for _, i := range x.ops {
		b.operator(x, i)
	}
	end := forever
	if called {
		end = b.now()
	}
	for _, t := range x.s.Outputs {
		x.use(x.root[t], end)
		x.kinds[t] = lifetime.Output
	}
	if b.p.KeepInputs {
		for _, t := range x.s.Inputs {
			x.use(t, end)
		}
	}
	if b.p.KeepUnread {
		for _, i := range x.ops {
			for _, t := range x.s.Ops[i].Outputs {
				if len(x.s.Consumers[t]) == 0 {
					x.use(b.holder(x, t), end)
				}
			}
		}
	}
	x.active = false
}

func (b *builder) operator(x *sub, i int) {
	op := &x.s.Ops[i]
	b.step(x.s, i)
	at := b.now() - 1
	for _, list := range [][]int{op.Outputs, op.Workspace} {
		for _, t := range list {
			x.birth(t, at)
		}
	}
	if b.p.Nested {
		for _, c := range op.Callees {
			b.call(c)
		}
	}
	now := b.now()
	for _, t := range op.Outputs {
		x.use(t, now)
	}
	for _, t := range op.Workspace {
		x.use(t, now)
		x.kinds[t] = lifetime.Scratch
	}
	for _, t := range op.Inputs {
		if t >= 0 {
			x.use(x.root[t], now)
		}
	}
	for k := range x.requests(i) {
		r := &x.requests(i)[k].life
		if r.born < 0 {
			r.born = at
		}
		r.end = now
	}
}

func (b *builder) call(c int) {
	if c < 0 || c >= len(b.subs) {
		return
	}
	x := b.subs[c]
	if x == nil {
		x = b.open(b.m.Subgraphs[c], Stored(b.m.Subgraphs[c]))
	}
	if !x.active { // readers refuse recursion
		b.walk(x, true)
	}
}

// holder returns the tensor whose memory holds t when nothing reads it. Under
// the rule of TFLite a result that nothing reads extends no other life.
func (b *builder) holder(x *sub, t int) int {
	if b.p.InPlace == InPlaceTFLite {
		return t
	}
	return x.root[t]
}

func (x *sub) birth(t int, at int64) {
	if x.lives[t].born < 0 {
		x.lives[t].born = at
	}
}

func (x *sub) use(t int, end int64) { x.lives[t].end = max(x.lives[t].end, end) }

// close ends the table: what lives for ever lives to its end. Variables live
// throughout.
func (b *builder) close() {
	if b.p.ExitStep || len(b.out.Steps) == 0 {
		b.step(b.s, Exit)
	}
	b.end, b.nowhere = b.now(), -1
	if b.p.Nested && b.s.Index == 0 {
		for i, s := range b.m.Subgraphs {
			if b.subs[i] == nil && b.p.KeepUnused {
				b.open(s, Stored(s))
			}
		}
	}
	for _, x := range b.subs {
		if x == nil {
			continue
		}
		for t := range x.lives {
			l := &x.lives[t]
			l.end = min(l.end, b.end)
			if x.s.Tensors[t].Variable {
				x.lives[t] = life{0, b.end}
				x.kinds[t] = lifetime.Variable
			}
		}
	}
}
