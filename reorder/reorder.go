// Package reorder holds the algorithms that choose an execution order for a
// subgraph. All lists them; everything said about one comes from its Info.
package reorder

import (
	"context"
	"time"

	"github.com/arenalab/arenalab/graph"
)

// Reorderer chooses an order of the operators of m.Subgraph, judged by what
// they need of the arena. Implementations are deterministic for a seed whatever
// GOMAXPROCS is, unless a clock ends them, and return an order that
// Subgraph.CheckOrder accepts. One that searches returns the best order it has
// when ctx or its time limit ends it; others return the error of ctx.
type Reorderer interface {
	Info() Info
	Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error)
}

// Info describes a reorderer.
type Info struct {
	Name       string // kebab-case, unique; the order carries it
	Title      string
	Summary    string // one line
	Reference  string
	Complexity string // n operators, m edges
	Guarantee  string // what is proven about the order; "" if nothing
}

// Options are the knobs common to all reorderers.
type Options struct {
	Seed      uint64
	TimeLimit time.Duration // of a search; 0 is none
	// Steps is the budget of searches, in the states or moves that they count:
	// 0 their own, below 0 no end but the clock.
	Steps int64
}
