package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
)

// The engines of a Result, from the weakest to the strongest.
const (
	// EngineSymbolic: the accesses of the graph were run; see Program.
	EngineSymbolic = "symbolic"
	// EngineReplay: in addition all operators are computed by kernels, but once
	// for all plans: in the arena their operands were compared, byte for byte,
	// and their results put there. See RunOptions.Replay.
	EngineReplay = "replay"
	// EngineKernels: in addition all operators were computed by kernels in the
	// arena of the plan.
	EngineKernels = "kernels"
)

// ValidatorOptions are the knobs of a validator. The zero value is the default.
type ValidatorOptions struct {
	// Reference is what results are compared with. nil runs no kernels.
	Reference *Reference
	// MaxWork is the work of a run, as Machine.Work estimates it, above which
	// results are replayed and not computed anew for every plan. 0 means
	// DefaultPlanWork, negative replays always.
	MaxWork int64
}

// DefaultPlanWork is some tens of milliseconds of multiplications.
const DefaultPlanWork = 50e6

// Validator validates the plans of a lifetime table: symbolically, which is
// exact and names the culprit, and then with kernels if there are some. It may
// be used by one goroutine at a time.
type Validator struct {
	program *Program
	sub     *graph.Subgraph
	order   graph.Order
	lt      *graph.Lifetimes
	o       ValidatorOptions

	tried bool // the following are known
	run   *ArenaRun
	all   bool // every operator has a kernel
	large bool // an arena was too large for kernels
	notes []string
}

// NewValidator returns the validator of a linked subgraph. It fails if FromGraph
// or CheckInPlace does.
func NewValidator(m *graph.Model, s *graph.Subgraph, o graph.Order, lt *graph.Lifetimes, opt ValidatorOptions) (*Validator, error) {
	program, err := FromGraph(s, o, lt)
	if err != nil {
		return nil, err
	}
	if err := CheckInPlace(m, lt); err != nil {
		return nil, err
	}
	if opt.MaxWork == 0 {
		opt.MaxWork = DefaultPlanWork
	}
	return &Validator{program: program, sub: s, order: o, lt: lt, o: opt, tried: opt.Reference == nil}, nil
}

// NewTableValidator returns the validator of a table without a graph.
func NewTableValidator(t *lifetime.Table) *Validator {
	return &Validator{program: FromTable(t), tried: true}
}

// Validate runs the model in the arena of the plan. Errors are those of
// Program.Validate and, if kernels run, those of ArenaRun.Run. What keeps
// kernels from running is no error: the result says EngineSymbolic, and Notes
// why.
func (v *Validator) Validate(ctx context.Context, plan *lifetime.Plan, o Options) (*Result, error) {
	v.prepare(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit := o.MaxArena
	if v.run != nil {
		o.MaxArena = -1 // the bytes will be real
	}
	res, err := v.program.Validate(ctx, plan, o)
	if err != nil || v.run == nil {
		return res, err
	}
	run := RunOptions{Memory: o.Memory, MaxArena: limit, Replay: v.replays()}
	done, err := v.run.Run(ctx, plan, run)
	switch {
	case errors.Is(err, errStale): // by a recording of another subgraph
		v.tried, v.run, v.notes = false, nil, nil
		o.MaxArena = limit
		return v.Validate(ctx, plan, o)
	case errors.Is(err, ErrTooLarge):
		if !v.large {
			v.large = true
			v.notes = append(v.notes, fmt.Sprintf("some plans validated without kernels: %v", err))
		}
		o.MaxArena = limit
		return v.program.Validate(ctx, plan, o)
	case err != nil:
		return nil, err
	}
	res.Kernels, res.Copied = done.Operators-done.Symbolic, done.Copied
	switch {
	case !v.all:
	case run.Replay:
		res.Engine = EngineReplay
	default:
		res.Engine = EngineKernels
	}
	return res, nil
}

// Notes say, after the first call of Validate, why kernels did not run, or
// which operators have none, and where the data are not those of the file.
func (v *Validator) Notes() []string { return v.notes }

func (v *Validator) replays() bool {
	return v.run.m.Work(v.sub.Index) > v.o.MaxWork && v.run.rec.complete()
}

// prepare records the run that plans are compared with.
func (v *Validator) prepare(ctx context.Context) {
	if v.tried {
		return
	}
	note := func(err error) { v.notes = append(v.notes, fmt.Sprintf("validated without kernels: %v", err)) }
	rec, err := v.o.Reference.Recording(ctx, v.sub.Index)
	if ctx.Err() != nil {
		return
	}
	v.tried = true
	if err != nil {
		note(err)
		return
	}
	missing := rec.m.Fallbacks(v.sub.Index)
	v.all = len(missing) == 0
	if len(missing) > 0 && len(missing) == rec.m.Operators(v.sub.Index) {
		if slices.ContainsFunc(missing, func(f Fallback) bool { return !strings.HasPrefix(f.Name, "CUSTOM:") }) {
			note(errors.New("there is none for any operator"))
		}
		return
	}
	run, err := rec.newArenaRun(v.program, v.order, v.lt)
	if err != nil {
		note(err)
		return
	}
	v.run = run
	if !v.all {
		v.notes = append(v.notes, "validated with symbolic results of operators without a kernel: "+tally(missing))
	}
	v.notes = append(v.notes, rec.m.Notes()...)
}

// tally names operators, each once, with how many there are.
func tally(list []Fallback) string {
	var names []string
	count := map[string]int{}
	for _, f := range list {
		if count[f.Name] == 0 {
			names = append(names, f.Name)
		}
		count[f.Name]++
	}
	slices.Sort(names)
	const most = 8
	for i, name := range names {
		if count[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, count[name])
		}
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}
