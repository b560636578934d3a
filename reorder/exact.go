package reorder

// Exact searches for an order of the least peak within budgets of bytes, depth
// first over the sets of operators that have run, forward and back in time, and
// goes at once to the state of the least live bytes between any two that it
// finds a way between. Lower bounds with a witness are sought side by side.
//
// Complexity: exponential in the worst case, O(2^n n); near O(n m) on networks
// of cells. Ends when the order is proven to be the best, or at its limit.
//
// Reference: own. Hills and valleys are those of J. W. H. Liu, "An application
// of generalized tree pebbling to sparse matrix factorization", SIAM Journal on
// Algebraic and Discrete Methods 8(3), 1987, pages 375-395, doi:10.1137/0608031,
// carried from trees to graphs by submodularity of the live bytes.
//
// Departures: none.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/exact"
)

type exactSearch struct{}

func (exactSearch) Info() Info {
	return Info{
		Name:       "exact",
		Title:      "Exact search",
		Summary:    "search over sets of operators within budgets of bytes, from valley to valley, forward and back in time, beside proofs of lower bounds",
		Reference:  "own; valleys after J. W. H. Liu, An application of generalized tree pebbling to sparse matrix factorization, SIAM J. Alg. Disc. Meth. 8(3), 1987, doi:10.1137/0608031",
		Complexity: "O(2^n n) worst case, near O(n m) on networks of cells",
		Guarantee:  "the least peak of all orders, if the search ends before its limit",
	}
}

func (exactSearch) Order(ctx context.Context, m *graph.Memory, o Options) (graph.Order, error) {
	r, err := Solve(ctx, m, o)
	if err != nil {
		return graph.Order{}, err
	}
	return noWorse(m, "exact", r.Order), nil
}

// Solve is the search of the reorderer exact, with all that it finds out: the
// bracket of the least peak and the proof of its lower end.
func Solve(ctx context.Context, m *graph.Memory, o Options) (*exact.Result, error) {
	if err := begin(ctx, m); err != nil {
		return nil, err
	}
	var known [][]int
	if order, err := (liuTree{}).Order(ctx, m, o); err == nil { // the best in trees
		known = append(known, order.Ops)
	}
	return exact.Solve(ctx, m, exact.Options{TimeLimit: o.TimeLimit, Steps: o.Steps, Orders: known})
}
