// Package datasets makes and holds what planners are tried on: a zoo of real
// .tflite networks built with seeded random weights, and lifetime tables.
//
// The networks of the zoo have the architectures of their papers, at any size;
// their weights are random but scaled so that signals neither die out nor
// saturate, in float32 as in int8. They load and run in the real interpreter.
// A small set of them is embedded: see [Embedded] and [Models].
//
// Lifetime tables are made with their smallest arena known ([Synthetics], and
// [Graded] from easy to unsolved), operator graphs with the least peak of any
// order known or proven ([OperatorGraphs]).
package datasets
