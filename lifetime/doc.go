// Package lifetime holds the arena-planning problem and its answers: the
// lifetime table (what must be placed), the plan (where it was placed), the
// live-byte curve and proven lower bounds, the MiniMalloc CSV codec, and the
// checkers that decide whether a plan is safe and a bound is proven.
//
// # Conventions
//
// These hold in every package of the module and are stated once, here.
//
//   - Time is a step: an int64 that counts what an executor does, usually the
//     index of an operator in its order. A buffer lives in the half-open
//     interval [Lower, Upper). A runtime that states closed lifetimes
//     [first, last] becomes [first, last+1): the output of an operator and an
//     input that dies at that operator conflict.
//   - Bytes are int64. Offsets count from the start of the arena. Alignment is
//     a power of two, per buffer; 0 and 1 both mean none.
//   - Peak live bytes (LOAD) is the largest sum of the sizes of the buffers
//     live at one step. No plan's arena is smaller.
//   - A table is immutable once built: everything that takes a *Table only
//     reads it, so tables may be shared between goroutines.
//   - Strategies index buffers by position; names are for people.
//
// The package imports nothing else of the module, and its checkers share no
// code with the strategies whose plans they judge.
package lifetime
