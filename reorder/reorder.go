// Package reorder holds the algorithms that choose an execution order for a
// subgraph. All lists them; everything said about one comes from its Info.
package reorder

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

// Reorderer chooses an order. Implementations are deterministic for a seed,
// obey ctx, and return an order that Subgraph.CheckOrder accepts.
type Reorderer interface {
	Info() Info
	Order(ctx context.Context, s *graph.Subgraph, o Options) (graph.Order, error)
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
	Seed    uint64
	Profile graph.Profile // how sizes count and what lives how long
}
