// Package kernels holds reference kernels: operators computed as the real
// runtimes compute them, bit for bit where their arithmetic is integer, and in
// the same order of summation where it is not.
//
// [Prepare] looks at one operator with the types, shapes and constants of its
// operands, checks everything that can be checked, and returns a [Kernel] that
// runs it as often as one likes without allocating.
package kernels

import (
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/graph"
)

// Arithmetic names the runtime whose numbers kernels compute.
type Arithmetic string

// The arithmetics. They differ in how integers are rescaled and in a few
// functions that one computes by tables and another by polynomials.
const (
	// Reference is that of LiteRT's reference kernels (BUILTIN_REF), as in
	// google-ai-edge/LiteRT at f67457790c9c: gemmlowp's fixed point with double
	// rounding, but for fully connected layers, which rescale in float64.
	Reference Arithmetic = "litert-ref"
	// Micro is that of TFLite-Micro's reference kernels, as in
	// tensorflow/tflite-micro at 90b983c: fixed point with double rounding.
	Micro Arithmetic = "tflm"
	// Single is that of LiteRT's default kernels: convolutions and fully
	// connected layers rescale with one rounding.
	Single Arithmetic = "litert"
)

// Arithmetics lists them.
func Arithmetics() []Arithmetic { return []Arithmetic{Single, Reference, Micro} }

// Tensor is an operand or a result as a kernel sees it.
type Tensor struct {
	Name     string
	Type     graph.DType
	Shape    []int        // all known; empty for a scalar
	Quant    *graph.Quant // nil if it is not quantised
	Constant []byte       // its data if they never change, else nil
	Variable bool
}

// Elements returns the number of elements.
func (t *Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Node is an operator to be prepared.
type Node struct {
	Op         *graph.Op
	In, Out    []*Tensor // nil where an optional operand is left out
	Mid        []*Tensor // graph.Op.Intermediates: they hold quantisation only
	Arithmetic Arithmetic
}

// Kernel is a prepared operator. It may keep working memory of its own, so one
// kernel runs once at a time.
type Kernel interface {
	// Run computes the operator. The error names what in the data of an operand
	// is not allowed; then the results are undefined.
	Run(c *Call) error
}

// Call is what a kernel works on: the bytes of operands and results, of
// constant operands too, each as long as the type and shape say and aligned to
// eight bytes; nil where an operand is left out. A result may share its bytes
// with an operand only if InPlace allows it. Variables are operands that are
// written.
type Call struct {
	In, Out [][]byte
	Pool    *Pool // never nil
}

// Errors that Prepare wraps.
var (
	// ErrUnsupported is returned for operators, types and options that no
	// kernel here computes, although a runtime may.
	ErrUnsupported = errors.New("no kernel")
	// ErrInvalid is returned for operators that no runtime can run: operands
	// missing, shapes that do not fit, options out of range.
	ErrInvalid = errors.New("invalid operator")
	// ErrDynamic is returned by Run if a result has another shape than the one
	// that was planned.
	ErrDynamic = errors.New("shape computed at run time")
)

// unsupported and invalid make errors that name what is wrong with a node.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Prepare returns the kernel of an operator. It fails with ErrUnsupported or
// ErrInvalid and never panics, whatever the node.
func Prepare(n *Node) (k Kernel, err error) {
	prepare := lookup(n.Op)
	if prepare == nil {
		return nil, unsupported("operator %s", n.Op.Name())
	}
	defer func() {
		if v := recover(); v != nil { // a shape nobody thought of
			k, err = nil, invalid("operator %s: %v", n.Op.Name(), v)
		}
	}()
	if err := n.check(); err != nil {
		return nil, fmt.Errorf("operator %s: %w", n.Op.Name(), err)
	}
	if k, err = prepare(n); err != nil {
		return nil, fmt.Errorf("operator %s: %w", n.Op.Name(), err)
	}
	return k, nil
}

// maxElements bounds what one tensor of a kernel may hold.
const maxElements = 1<<31 - 1

// check makes sure that kernels may trust shapes and constants.
func (n *Node) check() error {
	for role, list := range map[string][]*Tensor{"operand": n.In, "result": n.Out} {
		for k, t := range list {
			if t == nil {
				continue
			}
			count := int64(1)
			for _, d := range t.Shape {
				if d < 0 || d > maxElements {
					return invalid("%s %d has dimension %d", role, k, d)
				}
				if count *= int64(max(d, 1)); count > maxElements { // of empty ones too, so that no product overflows
					return invalid("%s %d of shape %v is too large", role, k, t.Shape)
				}
			}
			if t.Quant != nil && (len(t.Quant.Scale) == 0 || len(t.Shape) > 0 && t.Quant.Axis >= len(t.Shape) || t.Quant.Axis < 0) {
				return invalid("%s %d has scales along dimension %d of shape %v", role, k, t.Quant.Axis, t.Shape)
			}
			dims := make([]int32, len(t.Shape))
			for i, d := range t.Shape {
				dims[i] = int32(d)
			}
			if size, err := graph.Size(t.Type, dims); t.Constant != nil && (err != nil || int64(len(t.Constant)) < size) {
				return invalid("%s %d of shape %v has %d bytes", role, k, t.Shape, len(t.Constant))
			}
		}
	}
	return nil
}

// in returns an operand that must be there.
func (n *Node) in(k int) (*Tensor, error) { return present("operand", n.In, k) }

// out returns a result that must be there.
func (n *Node) out(k int) (*Tensor, error) { return present("result", n.Out, k) }

// optional returns an operand that may be left out, then nil.
func (n *Node) optional(k int) *Tensor {
	if k >= len(n.In) {
		return nil
	}
	return n.In[k]
}

func present(role string, list []*Tensor, k int) (*Tensor, error) {
	if k >= len(list) || list[k] == nil {
		return nil, invalid("%s %d is missing", role, k)
	}
	return list[k], nil
}
