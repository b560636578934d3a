// Package bench runs the matrix model × subgraph × order × profile × strategy:
// it plans, times, checks and validates every cell, and yields one Record for
// each, failed cells included. It writes records as JSON Lines, CSV and the Go
// benchmark format, reads them back, and summarises them.
//
// # Definitions
//
//   - A unit is what all strategies are given alike: one lifetime table, that
//     is a subgraph of a model in one order under one profile, or a table read
//     from a file. A cell is a unit and a strategy.
//   - Peak live bytes (LOAD): the most bytes live at one step, sizes rounded
//     as the profile rounds them.
//   - The lower bound of a unit is the best that any strategy of the run could
//     prove, or package strategies/bound, each checked by lifetime.CheckBound.
//   - gap = (arena - lower bound) / lower bound, 0 if the bound is 0.
//   - fragmentation = (arena - LOAD) / arena, 0 if the arena is 0.
//   - reuse = 1 - arena / sum of all sizes, 0 if the sum is 0.
//   - Planning time is that of Strategy.Plan alone: no reading, ordering,
//     checking or validating.
//
// A plan is feasible when lifetime.Check accepts it and the executor ran it
// without a clobbered byte; it is optimal when, in addition, its arena equals
// the lower bound.
package bench
