// Package exact finds the smallest arena of a lifetime table, or proves that
// none fits into a given capacity: dynamic storage allocation, which is
// NP-hard, by a depth-first search that in practice settles the tables of
// networks in milliseconds.
//
// The search takes one buffer at a time and either places it at its lowest
// possible offset or postpones it: then it has to rest on a buffer that is not
// yet placed. In an arena where nothing can move down every buffer rests on
// another, on a fixed one, or on the floor, and some smallest arena is such; so
// the two branches miss nothing. Between decisions, bounds on the offsets are
// propagated to a fix-point (see propagate.go).
//
// Gaps in which parts of buffers are kept are the exception to that order: see
// windows.go.
//
// Sizes are in units, the greatest step that all offsets of such an arena
// share. Only the instants at which the set of live buffers is largest matter;
// they are called sections.
//
// References: M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
// Hardware-Accelerated Machine Learning", ASPLOS 2023,
// doi:10.1145/3623278.3624752, for sections, the canonical placement and the
// keys of the static orders; J. Carlier, "The one-machine sequencing problem",
// EJOR 11, 1982, for the bound with heads (a section is a machine, an offset a
// release date); F. Boussemart et al., "Boosting systematic search by weighting
// constraints", ECAI 2004, for failure weights. Placing in any order of
// offsets, the support rule and the beam over the same states are not taken
// from published work.
package exact
