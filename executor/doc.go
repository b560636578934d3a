// Package executor proves that a plan is safe by running the model in the
// planned arena: symbolically, and with reference kernels.
//
// # Symbolic execution
//
// A [Program] is what a run does to the buffers of a lifetime table. Programs
// of models take every access from the graph ([FromGraph]): operators read
// their inputs, write their scratch memory and their outputs, read and update
// the variables they take; the caller writes the inputs before the first
// operator and reads the outputs after the last. Programs of tables that came
// without a graph are written at birth and probed in mid-life and at death
// ([FromTable]).
//
// Values are symbolic: what an operator writes to an output is a stream of
// bytes keyed by the operator, the number of the output and the keys of all
// that it reads. So the run with a memory of its own for every tensor need not
// be stored: the content of every byte at every instant is a function of the
// key. The run in the arena has to show the same bytes
//
//   - whenever something is read: every byte of every input of every operator,
//     before it writes and again after it has written all its outputs and
//     scratch memory, since kernels may write before they have read everything;
//   - after an operator has written several things: in each of them;
//   - at the exit: in every graph output, every variable, and every graph input
//     that the table keeps to the end;
//   - at the last step of the life that the table promises to a buffer: in
//     that buffer.
//
// As every read is compared, a run ends at the first wrong byte, and the
// operators after it never work with wrong keys.
//
// An output that shares its buffer with an input of the same operator, because
// the table says so (several tensors in one [graph.Ref]), may overwrite that
// input; another operator that still reads the old value is then reported.
// RESHAPE, SQUEEZE, EXPAND_DIMS and BITCAST in place leave the bytes as they
// are, so their input may be read later. A runtime's sharing rule may be wrong
// itself: then no plan is safe, and [Clobbered.InPlace] tells.
//
// # Two memories
//
// [Program.Validate] runs the program in a memory of labels, an ordered map
// from address ranges to the value that was written there last. It is exact,
// takes O(log n) a write whatever the sizes, and names the culprit. Arenas up
// to a limit are run in real bytes as well, twice, with different keys and
// with different patterns in the arena before the start. A byte that differs
// there although the labels agree is reported as an error too.
//
// # What is proven
//
// If Validate returns no error then, for the order of operators of the
// program, no operator and no caller ever reads a byte of the arena that is
// not the byte it would read if each tensor had a memory of its own, however
// the kernels interleave their reads and writes; and nothing is touched
// outside of the arena. Nothing is taken from the lifetimes of the table: a
// buffer that dies too early in the table is found like any other overlap, and
// [FromGraph] refuses a table whose lives do not cover the accesses.
//
// Not proven by it: that kernels stay within their tensors, that an operator
// may work in place where the table says it does, that the sizes of tensors
// with unknown dimensions are those of the run, alignment and fixed offsets
// (see lifetime.Check), and anything about the numbers that kernels compute.
// Subgraphs that an operator calls count as part of the operator.
//
// # Kernels
//
// A [Machine] is a model with its constants in memory and a kernel prepared for
// every operator. [Machine.Record] runs it with memory of its own for every
// tensor and keeps what each operator has computed; that does not depend on the
// plan, and not on the order either. An [ArenaRun] then runs the operators at
// the offsets of a plan:
//
//   - every operand is compared, byte for byte, before its operator runs, and
//     every result and updated variable after it has run; at the exit the
//     outputs, the variables and the inputs that the table keeps;
//   - what dies is overwritten at once, and so is scratch memory, before and
//     after the operator that asked for it;
//   - memory that is nobody's is filled before the run. What lies next to the
//     results of an operator is looked at after it, all of the arena and the
//     memory around it at the end;
//   - results that the table puts on top of operands are computed in place, by
//     kernels that can; others work on a copy of the operand. [CheckInPlace]
//     refuses operators that no kernel could compute in place;
//   - operands and results at offsets that their type does not allow are copied
//     to and fro.
//
// The first difference is an error that names operator, tensor, element and
// offset, and the operator that overwrote them, which the symbolic run knows.
//
// IF, WHILE, CALL_ONCE, composites and variables behind handles are run by the
// engine. Called subgraphs have memory of their own, or lie in the arena if the
// table says so. Operators without a kernel compute a function of the bytes of
// their operands, so that a wrong operand is seen all the same; such a run is
// not said to be one with kernels.
//
// A replay compares the same bytes at the same places, but takes results from
// the recording: sound as long as a kernel computes the same from the same
// operands, stays within its results and is right in place. It is for models
// whose plans are many, and large: see [RunOptions].
//
// [Validator] puts all of this together: symbolic execution first, which is
// exact, then kernels.
package executor
