// Package bound finds lower bounds on the memory that a subgraph needs in any
// order of its operators, each with a witness that package proof checks.
//
// A Finder holds what all bounds of one graph.Memory need: which operators must
// run before which, as sets of bits (n²/4 bytes for n operators). From cheap to
// strong:
//
//	f, err := bound.New(m)              // cycles, sizes out of range
//	f.Cheap()                           // floor, operator, ends: O(n + m)
//	f.Cut(ctx, order, above, w)         // least bytes at an operator, by minimum cut
//	f.Set(ctx, order, above, w)         // first or last of a set of operators, the best of all sets
//	p := f.Propagation(order)           // precedences that a budget forces
//	p.Run(ctx, budget, w)               // Refuted, Open or Stopped
//	p.Before()                          // those found, if Open
//	p.Bound(ctx)                        // the proof, if Refuted
//	p.Branch(ctx, budget, try, w)       // by cases where Run leaves it open
//	f.Prove(ctx, order, options)        // all of the above against a known order
//
// Run ends with sets too, under what it found. What is added to the first
// operator only (graph.Memory.First) counts in Cheap and nowhere else.
//
// Nothing here searches for orders; a known order tells where to look, and what
// need not be asked: the operators that have run before v in an order whose bytes
// at v are within a budget show that v can run then.
//
// Everything stops when ctx ends, which is looked at once per flow, or when the
// Work it may do is done, and then returns the best bound so far. Work is counted
// in arcs that flows look at, so that a limit means the same on all machines. All
// results are deterministic.
//
// Memory grows with the square of the operators: two sets of n bits for each in
// a Finder, as much in a Propagation and in each case that is open, and 64 MB
// for witnesses. 6000 operators take 9 MB for the sets.
package bound
