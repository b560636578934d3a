// Package report turns benchmark records and plans into what people look at:
// a terminal summary, Markdown, LaTeX and HTML tables, and plots as PNG and
// SVG. It computes no plan and measures nothing: every figure it prints is in
// the records, or follows from them by a ratio, a median or a geometric mean.
//
// # Conventions
//
//   - The gap of a cell is its arena over the best proven lower bound of the
//     same model, profile and order. "=" means the arena meets the bound; "~"
//     means it is the best known but not proven to be the smallest.
//   - Aggregates run over the models for which every strategy has a safe plan,
//     and say how many those are. Nothing is left out silently.
//   - The same records give the same bytes, plots included.
//   - Names of models and tensors are hostile input: control characters are
//     replaced, and every format escapes what it must.
package report
