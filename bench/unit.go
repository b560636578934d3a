package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/executor"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// Sources, profiles and orders of records that no registry names.
const (
	SourceModel  = "model"
	SourceTable  = "table"
	TableProfile = "table"
	GivenOrder   = "given"
)

// job asks for a unit: it names the row of the matrix, and nothing of it is
// computed.
type job struct {
	in      datasets.Input
	sub     *graph.Subgraph // nil for tables and for inputs with an error
	profile graph.Profile
	order   reorder.Reorderer
	needs   *needs
	// reference is the run that plans of all units of the model are compared
	// with; nil for tables.
	reference *executor.Reference
}

// jobs returns the units of an input in the order in which they are reported.
func (c *Config) jobs(in datasets.Input) []job {
	if in.Model == nil || len(in.Model.Subgraphs) == 0 {
		return []job{{in: in}}
	}
	var list []job
	reference := executor.NewReference(in.Model, executor.ReferenceOptions{})
	for _, s := range in.Model.Subgraphs {
		shared := make([]*needs, len(c.Profiles))
		for k, p := range c.Profiles {
			shared[k] = &needs{model: in.Model, sub: s, profile: p}
		}
		for _, o := range c.Orders {
			for k, p := range c.Profiles {
				if p.Nested && s.Index > 0 {
					continue // part of the plan of the main subgraph
				}
				list = append(list, job{in: in, sub: s, profile: p, order: o, needs: shared[k], reference: reference})
			}
		}
	}
	return list
}

// tiesName is the rule as records have it.
func tiesName(t strategies.Ties) string {
	if t.Rule == strategies.TiesNative {
		return ""
	}
	return t.String()
}

// record returns what is known of the cells of a job before it is worked on.
func (r *runner) record(j *job) Record {
	rec := Record{
		Schema:    SchemaVersion,
		Tool:      r.cfg.Tool,
		Model:     j.in.Name,
		Path:      j.in.Path,
		Hash:      j.in.Hash,
		Seed:      r.cfg.Seed,
		Ties:      tiesName(r.cfg.Ties),
		Align:     r.cfg.Align,
		Decisions: r.cfg.Decisions,
		Host:      r.host,
	}
	switch {
	case j.in.Table != nil:
		rec.Source, rec.Profile, rec.Order = SourceTable, TableProfile, GivenOrder
		if r.cfg.Align == 0 { // else it is another problem
			rec.KnownOptimum = j.in.Optimum
		}
	case j.in.Model != nil:
		rec.Source = SourceModel
		rec.Warnings = slices.Clip(slices.Clone(j.in.Model.Notes))
	}
	if j.sub != nil {
		rec.Profile, rec.Order = j.profile.Name, j.order.Info().Name
		rec.Subgraph = j.sub.Index
		rec.Operators = len(j.sub.Ops)
		if j.sub.Index > 0 {
			rec.Model = fmt.Sprintf("%s#%d", j.in.Name, j.sub.Index)
		}
	}
	return rec
}

// unit is a lifetime table to be planned by every strategy, with what they all
// share.
type unit struct {
	job
	base      Record // what the records of all cells have in common
	cells     Cell   // the same for the rest of a Cell
	table     *lifetime.Table
	bound     *lifetime.Bound // nil if none could be proven
	validator validator
	// objectBound is computed when the first plan of shared objects is there.
	objectBound *int64
}

// prepare computes the unit of a job. It returns nil for a subgraph with
// nothing to plan, unless that is the main one.
func (r *runner) prepare(ctx context.Context, j job) (*unit, error) {
	u, err := r.build(ctx, j)
	if err != nil {
		return u, err
	}
	if j.sub != nil && len(u.table.Buffers) == 0 && j.sub.Index > 0 {
		return nil, nil
	}
	u.cells.Table = u.table
	if u.cells.Lifetimes != nil {
		u.cells.Lifetimes = withTable(u.cells.Lifetimes, u.table)
	}
	u.measure()
	if j.sub != nil {
		r.orderBound(ctx, u)
	}
	if err := r.newValidator(u); err != nil {
		return u, fmt.Errorf("%s: lifetimes and operators disagree: %w", j.in.Path, err)
	}
	return u, nil
}

// build computes the table of a job, and nothing else of its unit.
func (r *runner) build(ctx context.Context, j job) (*unit, error) {
	u := &unit{job: j, base: r.record(&j)}
	u.cells = Cell{Model: j.in.Model, Subgraph: j.sub}
	switch {
	case j.in.Err != nil:
		return u, j.in.Err
	case j.in.Table != nil:
		u.table = j.in.Table
	case j.sub != nil:
		if err := r.lifetimes(ctx, u); err != nil {
			return u, fmt.Errorf("%s: subgraph %d: %w", j.in.Path, j.sub.Index, err)
		}
	default:
		return u, fmt.Errorf("%s: the model has no subgraphs", j.in.Path)
	}
	u.table = lifetime.WithAlign(u.table, r.cfg.Align)
	if err := u.table.Validate(); err != nil {
		return u, fmt.Errorf("%s: %w", j.in.Path, err)
	}
	return u, nil
}

// lifetimes orders the subgraph and turns the order into a table.
func (r *runner) lifetimes(ctx context.Context, u *unit) error {
	o, err := r.order(ctx, u)
	if err != nil {
		return fmt.Errorf("order %s: %w", u.base.Order, err)
	}
	lt, err := protect(func() (*graph.Lifetimes, error) {
		return graph.NewLifetimes(u.in.Model, u.sub, o, u.profile)
	})
	if err != nil {
		return err
	}
	u.table = lt.Table
	u.cells.Order, u.cells.Lifetimes = o, lt
	u.base.PersistentBytes = lt.PersistentBytes
	u.base.Warnings = append(u.base.Warnings, lt.Notes...)
	return nil
}

// measure fills in what the table alone tells, the lower bound included.
func (u *unit) measure() {
	u.base.Buffers = len(u.table.Buffers)
	u.base.NaiveBytes = u.table.Naive()
	u.base.PeakLiveBytes = u.table.Load()
	b, err := protect(func() (*lifetime.Bound, error) {
		b := bound.Lower(u.table, 0)
		if b == nil {
			return nil, errors.New("there is none")
		}
		return b, lifetime.CheckBound(u.table, b)
	})
	if err != nil {
		u.base.Warnings = append(u.base.Warnings,
			fmt.Sprintf("lower bound: %v; the gap is that to the peak live bytes", err))
		return
	}
	u.bound = b
}

// improve takes the strategy's bound for that of the unit if it is proven and
// better. It returns a warning if it is not proven.
func (u *unit) improve(p *lifetime.Plan) (warning string) {
	if p.Bound == nil {
		if u.bound != nil && p.LowerBound > u.bound.Value && p.Status != lifetime.Optimal { // of which more is said
			return fmt.Sprintf("the strategy states a lower bound of %d bytes, without a witness that can be checked", p.LowerBound)
		}
		return ""
	}
	if err := lifetime.CheckBound(u.table, p.Bound); err != nil {
		return "the strategy's " + err.Error()
	}
	if u.bound == nil || p.Bound.Value > u.bound.Value {
		u.bound = p.Bound
	}
	return ""
}
