package graph

import (
	"github.com/arenalab/arenalab/lifetime"
)

// Lifetimes is a lifetime table together with where its rows come from.
type Lifetimes struct {
	Table *lifetime.Table
	// Refs, parallel to Table.Buffers, says what each buffer holds.
	Refs []Ref
	// Steps says what runs at each time: Steps[t] for time t.
	Steps []Step
	// Sizes holds the bytes of tensors in the table that are not those of the
	// file, because the runtime computes the shape anew; nil if there are none.
	Sizes map[TensorRef]int64
	// Outside lists the tensors that take no room in the arena, and why.
	Outside []Outside
	// PersistentBytes is what lies outside the arena, one thing after the
	// other: variables, and what kernels keep from one run to the next.
	PersistentBytes int64
	// Notes say where the table is not the whole truth: unknown dimensions,
	// shapes computed at run time, subgraphs planned apart.
	Notes []string
}

// Step is what runs at one time.
type Step struct {
	Subgraph int
	Op       int // operator index, or one of Entry and Exit
}

// The steps that are not operators.
const (
	Entry = -1 // the caller writes the inputs
	Exit  = -2 // the caller reads the outputs
)

// Nowhere is the subgraph of a step after everything else, at which there is
// what nothing uses and what is never run.
const Nowhere = -1

// TensorRef names a tensor of a model.
type TensorRef struct{ Subgraph, Tensor int }

// Ref says what a buffer holds: one tensor, several that alias each other, or
// the scratch memory of the operator at a step.
type Ref struct {
	Tensors []TensorRef // the first of several was there before the others
	Scratch int         // number of the operator's scratch request, if Tensors is empty
	Owner   Step        // the operator that asked for it, if Tensors is empty
}

// Outside is a tensor that is not in the arena.
type Outside struct {
	Tensor TensorRef
	Reason Reason
}

// Reason says why a tensor is not in the arena.
type Reason string

// The reasons.
const (
	IsConstant Reason = "constant"
	IsVariable Reason = "variable in persistent memory"
	IsUnsized  Reason = "no static size"
	IsEmpty    Reason = "zero bytes"
	IsUnused   Reason = "no operator uses it"
	IsFolded   Reason = "computed while the runtime prepares the model"
	IsCached   Reason = "computed once, in persistent memory"
	IsDynamic  Reason = "its shape is computed at run time"
	IsLater    Reason = "planned at run time, after a shape is computed"
	IsLent     Reason = "in the memory of the caller"
)
