package executor

import (
	"context"
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

// DefaultMaxArena is the largest arena that is run in real bytes by default.
const DefaultMaxArena = 64 << 20

// Options are the knobs of a validation. The zero value is the default.
type Options struct {
	// MaxArena is the size in bytes up to which arenas are run in real bytes,
	// and not only with labels. 0 means DefaultMaxArena, negative never.
	MaxArena int64
	// Memory is used for the run if it is not nil, so that many plans may be
	// validated without allocation.
	Memory *Memory
}

// Memory is what validations run in. The zero value is empty and grows as
// needed. It may be used by one validation at a time.
type Memory struct {
	labels labels
	arena  []byte
}

// Result says what a successful validation did.
type Result struct {
	Engine    string // EngineSymbolic, or more if a Validator says so
	Steps     int    // instants
	Operators int    // that ran, 0 for a table
	Accesses  int    // reads and writes of a run
	RealRuns  int    // runs in real bytes; 0: the arena was too large, labels only
	Bytes     int64  // written and compared in all real runs
	Kernels   int    // operators that kernels computed, those that run more than once counted once
	Copied    int    // of them on copies of operands, see RunResult
}

// ErrEngines is returned if the run in real bytes finds a wrong byte although
// the exact run with labels does not: a defect of this package, or of the
// machine.
var ErrEngines = errors.New("real memory and labels disagree")

// Validate runs the program in the arena of the plan. It returns an error if
// the plan is not one of the program's table, an *OutsideError if a buffer is
// outside of the arena, a *Clobbered error for the first read that finds
// anything but what it would find if every tensor had a memory of its own, and
// the error of the context if that ends first. O(n log n) plus, for arenas
// that are run in real bytes, the bytes that are accessed.
func (p *Program) Validate(ctx context.Context, plan *lifetime.Plan, o Options) (*Result, error) {
	if err := p.checkPlan(plan); err != nil {
		return nil, err
	}
	m := o.Memory
	if m == nil {
		m = &Memory{}
	}
	f, err := m.labels.run(ctx, p, plan.Offsets)
	if err != nil {
		return nil, err
	}
	if f != nil {
		return nil, p.clobbered(f)
	}
	res := &Result{
		Engine: EngineSymbolic, Steps: len(p.steps), Operators: p.operators, Accesses: len(p.accesses),
	}
	limit := o.MaxArena
	if limit == 0 {
		limit = DefaultMaxArena
	}
	if plan.Arena > limit {
		return res, nil
	}
	if int64(len(m.arena)) < plan.Arena {
		m.arena = aligned(plan.Arena)
	}
	for _, r := range runs {
		f, err := r.exec(ctx, p, plan.Offsets, m.arena[:plan.Arena])
		if err != nil {
			return nil, err
		}
		if f != nil {
			a := &p.accesses[f.access]
			reader := p.site(&p.steps[f.step], int(p.values[a.value].buffer), int(a.tensor))
			return nil, fmt.Errorf("%w: %s is wrong at step %d, byte %d of the arena",
				ErrEngines, reader.object(), reader.Step, f.offset)
		}
		res.RealRuns++
		res.Bytes += p.bytes
	}
	return res, nil
}

// checkPlan makes sure that every access stays within the arena.
func (p *Program) checkPlan(plan *lifetime.Plan) error {
	if len(plan.Offsets) != len(p.table.Buffers) {
		return fmt.Errorf("plan has %d offsets for %d buffers", len(plan.Offsets), len(p.table.Buffers))
	}
	for i, off := range plan.Offsets {
		b := &p.table.Buffers[i]
		if off < 0 || off > plan.Arena-b.Size {
			return &OutsideError{i, b.Name, off, b.Size, plan.Arena}
		}
	}
	return nil
}

func (p *Program) clobbered(f *fault) *Clobbered {
	a := &p.accesses[f.access]
	w := &p.values[f.writer]
	return &Clobbered{
		Reader:  p.site(&p.steps[f.step], int(p.values[a.value].buffer), int(a.tensor)),
		Purpose: a.purpose, Offset: f.offset,
		Writer: p.site(&p.steps[w.step], int(w.buffer), int(w.tensor)),
	}
}
