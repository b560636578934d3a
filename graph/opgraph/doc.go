// Package opgraph reads and writes operator graphs as text: what runs, what it
// reads and makes, and how many bytes that takes. Such a file has no kernels
// and no weights, which is all that orders and arenas need.
//
// A line is one thing, its words separated by blanks. Empty lines, and all that
// follows # at the beginning of a line, are nothing.
//
//	i NAME BYTES                    a graph input
//	o NAME BYTES                    a graph output
//	t NAME BYTES                    any other tensor
//	v NAME BYTES                    a variable: state that is kept from run to run
//	n TYPE OP RESULT OPERAND...     an operator; several results are written A,B
//	w OP BYTES                      working memory that OP needs while it runs
//	b OP BEFORE...                  OP must not run before the operators BEFORE
//
// Tensors are named before operators use them. A graph output may be named as
// an input or a variable before: it is both then. The operators stand in an
// order in which they can run, the stored order. An operator without results
// has - in their place. Names are any words without blanks; those of tensors
// have no comma and are not "-".
package opgraph
