package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/executor"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// validator proves plans of one unit safe. Strategies often agree: a plan that
// was seen before is not run again.
type validator struct {
	program *executor.Program
	seen    []verdict
}

type verdict struct {
	plan *lifetime.Plan
	how  string
	err  error
}

// newValidator builds the program of the unit.
func (u *unit) newValidator() (err error) {
	u.validator.program, err = protect(func() (*executor.Program, error) {
		if u.cells.Lifetimes == nil {
			return executor.FromTable(u.table), nil
		}
		return executor.FromGraph(u.sub, u.cells.Order, u.cells.Lifetimes)
	})
	return err
}

// validate proves the plan safe and returns how, or says which buffers it is
// unsafe for.
func (r *runner) validate(ctx context.Context, u *unit, p *lifetime.Plan) (how string, err error) {
	if err := lifetime.Check(u.table, p); err != nil {
		return "", fmt.Errorf("unsafe plan: %w", err)
	}
	v := &u.validator
	for _, old := range v.seen {
		if slices.Equal(old.plan.Offsets, p.Offsets) {
			return old.how, old.err
		}
	}
	memory, ok := r.memory.Get().(*executor.Memory)
	if !ok {
		memory = new(executor.Memory)
	}
	defer r.memory.Put(memory)
	res, err := protect(func() (*executor.Result, error) {
		return v.program.Validate(ctx, p, executor.Options{Memory: memory})
	})
	switch broke := (*PanicError)(nil); {
	case err == nil:
		how = res.Engine
	case errors.As(err, &broke) || errors.Is(err, executor.ErrEngines):
		err = fmt.Errorf("validation failed, which says nothing about the plan: %w", err)
	default:
		err = fmt.Errorf("unsafe plan: %w", err)
	}
	if ctx.Err() == nil {
		v.seen = append(v.seen, verdict{p, how, err})
	}
	return how, err
}

// withTable returns the lifetimes with another table of the same rows.
func withTable(lt *graph.Lifetimes, t *lifetime.Table) *graph.Lifetimes {
	out := *lt
	out.Table = t
	return &out
}
