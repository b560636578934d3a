package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/reorder/proof"
)

// Verdict is what checking a record's bound once more came to.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"     // the witness proves the bound of the table made anew
	Wrong    Verdict = "wrong"     // it does not, or the record contradicts itself
	NoBound  Verdict = "no bound"  // the record states none, and is not said to be optimal
	NotFound Verdict = "not found" // the file is not there, or there is another in its place
)

// ErrNotFound is the error of a Certifier's Find for a file that is not there.
var ErrNotFound = errors.New("file not found")

// Certifier checks the bounds of records once more, from nothing but the files
// that the records are of: it makes the lifetime table anew, in the order and
// for the profile of the record.
type Certifier struct {
	// Find returns the file of that hash, which had the given path when the
	// record was made. An error that is ErrNotFound says that there is none.
	Find func(path, hash string) (datasets.Input, error)
	// Profiles are known besides those of package graph.
	Profiles []graph.Profile
	// Timeout ends an order that takes longer; 0 is no limit.
	Timeout time.Duration

	// What the record before was of: records of a unit come together.
	hash  string
	input datasets.Input
	unit  string
	table *lifetime.Table
	needs *needs
	err   error
	known map[string]error // bounds of the table, as JSON
}

// Check returns the verdict on a record, with the reason unless it holds.
func (c *Certifier) Check(ctx context.Context, rec *Record) (Verdict, error) {
	switch {
	case rec.Bound == nil && rec.Status == lifetime.Optimal:
		return Wrong, errors.New("it is said to be optimal, but there is no witness")
	case rec.Bound == nil:
		return NoBound, errors.New("it states no bound")
	}
	if err := consistent(rec); err != nil {
		return Wrong, err
	}
	table, err := c.tableOf(ctx, rec)
	switch {
	case errors.Is(err, ErrNotFound):
		return NotFound, err
	case err != nil:
		return Wrong, fmt.Errorf("its table cannot be made: %w", err)
	case len(table.Buffers) != rec.Buffers || table.Load() != rec.PeakLiveBytes:
		return Wrong, fmt.Errorf("its table has %d buffers and a load of %d bytes, the record says %d and %d",
			len(table.Buffers), table.Load(), rec.Buffers, rec.PeakLiveBytes)
	}
	text, err := json.Marshal(rec.Bound)
	if err != nil {
		return Wrong, err
	}
	err, ok := c.known[string(text)]
	if !ok {
		err = lifetime.CheckBound(table, rec.Bound)
		c.known[string(text)] = err
	}
	if err != nil {
		return Wrong, err
	}
	return c.orderBound(rec)
}

// orderBound checks what the record says of all orders.
func (c *Certifier) orderBound(rec *Record) (Verdict, error) {
	if rec.OrderBound == nil {
		if rec.OrderBoundBytes > 0 {
			return Wrong, errors.New("it states a bound on all orders without a witness")
		}
		return Holds, nil
	}
	if rec.OrderBound.Value != rec.OrderBoundBytes || rec.OrderBoundBytes > min(rec.PeakLiveBytes, rec.OrderLeastBytes) {
		return Wrong, fmt.Errorf("the bound on all orders is %d bytes, its witness is for %d, and this order needs %d",
			rec.OrderBoundBytes, rec.OrderBound.Value, rec.PeakLiveBytes)
	}
	text, err := json.Marshal(rec.OrderBound)
	if err != nil {
		return Wrong, err
	}
	key := "order " + string(text)
	err, ok := c.known[key]
	if !ok {
		memory, failed := c.needs.get()
		if err = failed; err == nil {
			err = proof.Check(memory, rec.OrderBound)
		}
		c.known[key] = err
	}
	if err != nil {
		return Wrong, err
	}
	return Holds, nil
}

// consistent reports what of the record does not agree with its own bound.
func consistent(rec *Record) error {
	b := rec.Bound
	switch {
	case b.Value != rec.LowerBoundBytes || b.Kind != rec.BoundKind:
		return fmt.Errorf("the witness is for %d bytes by %s, the record says %d by %s", b.Value, b.Kind, rec.LowerBoundBytes, rec.BoundKind)
	case rec.Safe() && rec.ArenaBytes < b.Value:
		return fmt.Errorf("an arena of %d bytes is below the bound of %d", rec.ArenaBytes, b.Value)
	case rec.Status == lifetime.Optimal && rec.ArenaBytes != b.Value:
		return fmt.Errorf("an arena of %d bytes is said to be optimal, the bound is %d", rec.ArenaBytes, b.Value)
	}
	return nil
}

// tableOf makes the table of a record.
func (c *Certifier) tableOf(ctx context.Context, rec *Record) (*lifetime.Table, error) {
	unit := fmt.Sprintf("%q %q %d %q %q %d %d %d", rec.Hash, rec.Path, rec.Subgraph, rec.Profile, rec.Order, rec.Seed, rec.Align, rec.Decisions)
	if unit != c.unit {
		c.unit, c.known = unit, make(map[string]error)
		c.table, c.err = c.build(ctx, rec)
	}
	return c.table, c.err
}

func (c *Certifier) build(ctx context.Context, rec *Record) (*lifetime.Table, error) {
	if c.hash != rec.Hash || c.hash == "" {
		in, err := c.Find(rec.Path, rec.Hash)
		if err != nil {
			return nil, err
		}
		if in.Hash != rec.Hash {
			return nil, fmt.Errorf("%w: %s is another file than it was", ErrNotFound, rec.Path)
		}
		c.hash, c.input = rec.Hash, in
	}
	j, err := c.job(rec)
	if err != nil {
		return nil, err
	}
	r := &runner{cfg: Config{Seed: rec.Seed, Align: rec.Align, Decisions: rec.Decisions, Timeout: c.Timeout, Grace: defaultGrace}}
	if j.order != nil {
		r.cfg.Orders = []reorder.Reorderer{j.order}
	}
	c.needs = j.needs
	u, err := protect(func() (*unit, error) { return r.build(ctx, j) })
	if err != nil {
		return nil, err
	}
	return u.table, nil
}

// job finds what the record names.
func (c *Certifier) job(rec *Record) (job, error) {
	j := job{in: c.input, needs: &needs{model: c.input.Model}}
	if j.in.Model == nil {
		return j, nil
	}
	for _, s := range j.in.Model.Subgraphs {
		if s.Index == rec.Subgraph {
			j.sub = s
		}
	}
	if j.sub == nil {
		return j, fmt.Errorf("the model has no subgraph %d", rec.Subgraph)
	}
	orders, err := LookupOrders(rec.Order)
	if err != nil {
		return j, err
	}
	j.order, j.needs.sub = orders[0], j.sub
	if k := slices.IndexFunc(c.Profiles, func(p graph.Profile) bool { return p.Name == rec.Profile }); k >= 0 {
		j.profile = c.Profiles[k]
	} else if j.profile, err = graph.LookupProfile(rec.Profile); err != nil {
		return j, err
	}
	j.needs.profile = j.profile
	return j, nil
}
