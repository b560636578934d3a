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

// The ways to validate plans of models; tables have no kernels.
const (
	ValidateKernels  = "kernels"  // symbolically, and with kernels where there are some
	ValidateSymbolic = "symbolic" // the accesses of operators, but not what they compute
	ValidateCheck    = "check"    // only that no two buffers overlap in space and time
)

// Validations returns the ways to validate plans, the default first.
func Validations() []string { return []string{ValidateKernels, ValidateSymbolic, ValidateCheck} }

// validator proves plans of one unit safe. Strategies often agree: a plan that
// was seen before is not run again.
type validator struct {
	engine *executor.Validator // nil if plans are only checked
	seen   []verdict
}

type verdict struct {
	plan *lifetime.Plan
	how  string
	err  error
}

// newValidator builds the programs of the unit.
func (r *runner) newValidator(u *unit) (err error) {
	if r.cfg.Validate == ValidateCheck {
		return nil
	}
	u.validator.engine, err = protect(func() (*executor.Validator, error) {
		if u.cells.Lifetimes == nil {
			return executor.NewTableValidator(u.table), nil
		}
		var o executor.ValidatorOptions
		if r.cfg.Validate == ValidateKernels {
			o.Reference = u.reference
		}
		return executor.NewValidator(u.in.Model, u.sub, u.cells.Order, u.cells.Lifetimes, o)
	})
	return err
}

// notes say why plans of the unit were not validated with kernels.
func (v *validator) notes() []string {
	if v.engine == nil {
		return nil
	}
	return v.engine.Notes()
}

// validate proves the plan safe and returns how, or says which buffers it is
// unsafe for.
func (r *runner) validate(ctx context.Context, u *unit, p *lifetime.Plan) (how string, err error) {
	if err := lifetime.Check(u.table, p); err != nil {
		return "", fmt.Errorf("unsafe plan: %w", err)
	}
	v := &u.validator
	if v.engine == nil {
		return ValidateCheck, nil
	}
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
		return v.engine.Validate(ctx, p, executor.Options{Memory: memory})
	})
	switch broke := (*PanicError)(nil); {
	case err == nil:
		how = res.Engine
	case errors.As(err, &broke) || errors.Is(err, executor.ErrEngines) || errors.Is(err, executor.ErrKernel):
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
