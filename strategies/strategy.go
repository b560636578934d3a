// Package strategies holds the planners: each takes a lifetime table and
// returns a plan. One file a strategy; All lists them, Register adds one from
// outside, and everything that is said about a strategy anywhere (help, README,
// tables) comes from its Info.
package strategies

import (
	"context"
	"errors"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// ErrTooLarge is the error of a strategy that was not made for so many
// buffers: it could plan the table, but not in a time anybody would wait.
var ErrTooLarge = errors.New("more buffers than the strategy is made for")

// Strategy is a planner. Implementations keep no state between calls, obey
// ctx, do not modify the table, and return the same plan for the same table,
// options and seed whatever GOMAXPROCS is.
type Strategy interface {
	Info() Info
	// Plan places every buffer of a valid table. Fixed offsets, alignments
	// and gaps are obeyed, or an error says that the strategy cannot. A plan
	// that is not proven optimal has Status Feasible. If ctx or the time limit
	// ends the run before there is a plan, the error is that of the context.
	Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error)
}

// Info describes a strategy.
type Info struct {
	Name       string // kebab-case, unique
	Title      string // as a heading, a few words
	Summary    string // one line: the rule
	Reference  string // where it was published, or the code it follows
	Complexity string // of Plan, n the number of buffers
	Key        string // the order in which buffers are taken, ties included
	Guarantee  string // what is proven about the arena; "" if nothing
	// RowOrder says that offsets may depend on the order of the rows, because
	// the runtime it follows breaks ties that way.
	RowOrder bool
}

// Options are the knobs common to all strategies. The zero value is the
// default.
type Options struct {
	Seed      uint64        // of strategies that draw random numbers
	TimeLimit time.Duration // 0: none but that of ctx
	// Decisions ends a search after about so many; 0: the strategy's own
	// number; below 0: only time ends it, and what it finds depends on time.
	Decisions int64
	// Capacity is the bytes of arena to fit into; 0: as small as possible. A
	// strategy that searches may stop once a plan fits, and says Infeasible if
	// it proves that none does. One that proves nothing ignores it: its plan is
	// Feasible however large, and the caller compares Arena with Capacity.
	Capacity int64
	// Ties says how buffers are ordered that the key does not tell apart.
	Ties Ties
	// Align is the least alignment of every offset, a power of two; 0: as in
	// the table. The plan then is one of lifetime.WithAlign(t, Align).
	Align int64
}
