package graph

import "math/bits"

// place says where working memory lies.
type place uint8

const (
	inArena    place = iota // at its operator only
	persistent              // for ever, in memory of its own
	onHeap                  // not planned
)

// request is working memory that a kernel asks for.
type request struct {
	bytes int64
	where place
	slot  int // among the tensors that the runtime adds for the operator
}

// kernels are the rules of a set of kernels.
type kernels struct {
	// requests lists the working memory of an operator, given which tensors
	// are known before the model runs. It reports false if there is a kernel
	// whose needs are not known.
	requests func(s *Subgraph, op *Op, known []bool) ([]request, bool)
	// bytes is the size of a tensor in memory; nil: as in the file.
	bytes func(t *Tensor) int64
	// folds says that results are computed before the model runs where that
	// is possible.
	folds bool
	// handle says where the result of VAR_HANDLE is, if not in the arena.
	handle Reason
	// resizes says that results have the size that kernels compute.
	resizes bool
}

func kernelsOf(name string) kernels {
	switch name {
	case KernelsTFLite:
		return kernels{requests: tfliteRequests, bytes: tfliteBytes, folds: true, handle: IsCached, resizes: true}
	case KernelsTFLM:
		return kernels{requests: tflmRequests, bytes: tflmBytes, handle: IsFolded}
	}
	return kernels{}
}

// operands looks up the tensors of an operator; they are nil if absent.
type operands struct {
	s  *Subgraph
	op *Op
}

func (o operands) in(k int) *Tensor { return o.at(o.op.Inputs, k) }

func (o operands) out(k int) *Tensor { return o.at(o.op.Outputs, k) }

func (o operands) at(list []int, k int) *Tensor {
	if k >= len(list) || list[k] < 0 {
		return nil
	}
	return &o.s.Tensors[list[k]]
}

// dim returns a dimension of a tensor, counted from the end if negative; 1 if
// it has none such, as broadcasting has it.
func (t *Tensor) dim(i int) int64 {
	if i < 0 {
		i += len(t.Shape)
	}
	if i < 0 || i >= len(t.Shape) {
		return 1
	}
	return max(int64(t.Shape[i]), 0)
}

// elements returns the number of elements of the stored shape.
func (t *Tensor) elements() int64 { return t.product(0, len(t.Shape)) }

// product multiplies the dimensions [from, to).
func (t *Tensor) product(from, to int) int64 {
	n := int64(1)
	for i := from; i < to; i++ {
		n = times(n, t.dim(i))
	}
	return n
}

// times multiplies numbers that are not negative. It stops at MaxBytes, which
// is an error as a size.
func times(list ...int64) int64 {
	n := int64(1)
	for _, x := range list {
		hi, lo := bits.Mul64(uint64(n), uint64(x))
		if hi != 0 || lo > MaxBytes {
			lo = MaxBytes
		}
		n = int64(lo)
	}
	return n
}

// is reports whether the tensor is there and of one of the types.
func (t *Tensor) is(types ...DType) bool {
	for _, d := range types {
		if t != nil && t.Type == d {
			return true
		}
	}
	return false
}

// all reports whether none of the tensors is missing.
func all(tensors ...*Tensor) bool {
	for _, t := range tensors {
		if t == nil {
			return false
		}
	}
	return true
}
