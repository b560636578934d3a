// Package tflite reads and writes models in the .tflite format.
//
// # Reading
//
// Read and Decode return a graph.Model: all subgraphs with their operators and
// tensors, signatures, metadata, and where constant data lie. Weights are not
// read; Model.ReadBuffer fetches them when they are wanted. Nothing stays open.
//
// Files are untrusted. Before anything else looks at one, its tables are
// checked against the planning schema (internal/schema/planning.fbs) by
// internal/verify; then indices, shapes, sizes, calls and the order of
// operators are checked. What cannot be planned is an error that names
// subgraph, operator and tensor, one line a fault, at most 20. What can be
// planned but is not quite as it seems is one of Model.Notes. A file of n bytes
// makes the reader allocate no more than a few tens of n bytes.
//
// Conventions:
//
//   - The operator code is the larger of the old byte-sized and the new field.
//     Codes that are unknown keep their number.
//   - A constant is a tensor with data; an empty vector of data is none.
//   - A dimension of -1 in a stored shape, as old converters wrote it, leaves
//     the tensor without a static size. A shape signature with -1 does not:
//     the stored shape counts, and Tensor.Unknown reports it.
//   - Inputs of custom operators that nothing writes are moved to Op.Workspace.
//   - Op.Callees lists IF: then, else; WHILE: condition, body; CALL, CALL_ONCE
//     and STABLEHLO_COMPOSITE: the subgraph; STABLEHLO_CASE: the branches.
//     Regions that only describe a computation to a kernel, such as a reducer,
//     are not called.
//   - A malformed OfflineMemoryAllocation plan is dropped with a note.
//
// # Writing
//
// File is a model to be written, Encode makes the bytes: constants aligned to
// 16, operator versions as the runtime wants them.
package tflite
