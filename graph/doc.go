// Package graph holds models as planners see them: subgraphs of operators and
// tensors, execution orders, and the runtime profiles that turn an order into
// a lifetime table.
//
// Conventions beyond those of package lifetime:
//
//   - Tensors, operators and subgraphs are named by their index in the file;
//     names are for people and may repeat.
//   - An Order is a permutation of a subgraph's operators.
//   - What a runtime puts into its arena, and for how long, is data: a Profile.
//     Sizes that are not known before the model runs are never guessed: they
//     are reported.
package graph
