// Package proof holds lower bounds on the memory that a subgraph needs in any
// order of its operators, as data that says why they hold, and checks them. It
// shares no code with what finds them.
//
// All arguments rest on one quantity. While operator v runs, the operators that
// have run form a set S with which everything that must run before one of its
// members is in it too; S holds all that must run before v, and neither v nor
// what must run after it. The bytes live at v are a function of S, and its least
// value over all such sets is a minimum cut. It bounds the peak from below, and
// so it does with more said of S: that it holds another operator or does not.
package proof

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Kind names the argument by which a bound is proven.
type Kind string

// The kinds of bound that Check can verify.
const (
	// Floor: what lives before the first operator or after the last.
	Floor Kind = "floor"
	// Operator: what Op reads, makes, and needs besides, less what it may
	// replace, and what is there throughout.
	Operator Kind = "operator"
	// Ends: some operator runs first, with nothing done, or some operator runs
	// last, with all others done: the least of those that can.
	Ends Kind = "ends"
	// Cut: the least that can be live while Op runs.
	Cut Kind = "cut"
	// Set: some operator of Ops is the first of them to run, with no other of
	// them done, or the last, with all others of them done: the least cut of
	// those that can be.
	Set Kind = "set"
	// Precedence: no order keeps within Budget. For each line in turn, an
	// operator is over budget if another has already run (or has not), and so
	// runs before it (or after it). In the end an operator is over budget in
	// whatever order, or whichever of some is the first or the last of them.
	Precedence Kind = "precedence"
	// Tree: as Precedence, but by cases: one operator runs before another, or
	// after it, and neither keeps within Budget.
	Tree Kind = "tree"
)

// Bound is a lower bound on graph.Memory.Peak of every order, and its witness.
//
// A bound of kind Precedence or Tree refutes Budget. All peaks are multiples of
// the greatest common divisor of all sizes (Base, First, Floor, and those of
// values and transients), so it proves the least multiple above Budget.
type Bound struct {
	Kind  Kind  `json:"kind"`
	Value int64 `json:"value"` // bytes

	Op     int   `json:"op,omitempty"`     // Operator, Cut
	Last   bool  `json:"last,omitempty"`   // Ends, Set: the last, not the first
	Ops    []int `json:"ops,omitempty"`    // Set: ascending
	Budget int64 `json:"budget,omitempty"` // Precedence, Tree: bytes
	Root   *Node `json:"root,omitempty"`   // Precedence, Tree
}

// Node refutes a budget for orders in which some operators are known to run
// before others: none at the root. Each line adds one more such pair.
type Node struct {
	Lines []Line `json:"lines,omitempty"`
	// Over is an operator that is over budget now, if Set is empty and Cases nil.
	Over int `json:"over,omitempty"`
	// Set are operators, ascending, each of which is over budget now if it is the
	// first of them to run, or the last, if Cases is nil.
	Set   []int  `json:"set,omitempty"`
	Last  bool   `json:"last,omitempty"`
	Cases *Cases `json:"cases,omitempty"`
}

// Line says that Op is over budget if Other has not run before it (After), or
// if it has (not After). So from here on Other runs before Op, or after it.
type Line struct {
	Op    int  `json:"op"`
	Other int  `json:"other"`
	After bool `json:"after,omitempty"` // Op runs after Other
}

// Cases refutes a budget whichever of two operators runs first.
type Cases struct {
	A      int   `json:"a"`
	B      int   `json:"b"`
	AFirst *Node `json:"a_first"` // A runs before B
	BFirst *Node `json:"b_first"` // B runs before A
}

// Size returns the number of lines and nodes of a refutation, 0 for bounds of
// other kinds.
func (b *Bound) Size() (lines, nodes int) {
	var count func(n *Node)
	count = func(n *Node) {
		if n == nil {
			return
		}
		lines += len(n.Lines)
		nodes++
		if n.Cases != nil {
			count(n.Cases.AFirst)
			count(n.Cases.BFirst)
		}
	}
	count(b.Root)
	return lines, nodes
}

// Clone returns a copy that shares nothing with b.
func (b *Bound) Clone() *Bound {
	c := *b
	c.Ops = append([]int(nil), b.Ops...)
	c.Root = b.Root.clone()
	return &c
}

func (n *Node) clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Lines = append([]Line(nil), n.Lines...)
	c.Set = append([]int(nil), n.Set...)
	if n.Cases != nil {
		cases := *n.Cases
		cases.AFirst, cases.BFirst = cases.AFirst.clone(), cases.BFirst.clone()
		c.Cases = &cases
	}
	return &c
}

// Parse reads a bound from its JSON form. It does not check it.
func Parse(text []byte) (*Bound, error) {
	var b Bound
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("bound on orders: %w", err)
	}
	return &b, nil
}

// ErrUnproven is wrapped by the errors of Check that are about the bound and
// its witness.
var ErrUnproven = errors.New("bound not proven")
