package kernels

import (
	"errors"
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Operators of two operands of the same type: K/maximum_minimum.cc, K/pow.cc,
// K/atan2.cc, K/floor_div.cc, K/floor_mod.cc, K/logical.cc, K/bitwise_xor.cc and
// K/right_shift.cc of google-ai-edge/LiteRT at f67457790c9c. Quantised numbers
// are compared as they are. Division by zero is an error but for floats.

func pairsFamily() map[string]prepare {
	return map[string]prepare{
		"ATAN2":              prepareAtan2,
		"BITWISE_XOR":        func(n *Node) (Kernel, error) { return preparePair(n, pairXor) },
		"DIV":                prepareDiv,
		"FLOOR_DIV":          func(n *Node) (Kernel, error) { return preparePair(n, pairFloorDiv) },
		"FLOOR_MOD":          func(n *Node) (Kernel, error) { return preparePair(n, pairFloorMod) },
		"LOGICAL_AND":        func(n *Node) (Kernel, error) { return preparePair(n, pairAnd) },
		"LOGICAL_OR":         func(n *Node) (Kernel, error) { return preparePair(n, pairOr) },
		"MAXIMUM":            func(n *Node) (Kernel, error) { return preparePair(n, pairMax) },
		"MINIMUM":            func(n *Node) (Kernel, error) { return preparePair(n, pairMin) },
		"POW":                preparePow,
		"RIGHT_SHIFT":        func(n *Node) (Kernel, error) { return preparePair(n, pairShift) },
		"SQUARED_DIFFERENCE": prepareSquaredDifference,
	}
}

type pairOp uint8

const (
	pairMax pairOp = iota
	pairMin
	pairFloorDiv
	pairFloorMod
	pairAnd
	pairOr
	pairXor
	pairShift
)

// floats reports whether an operator takes floats; logical whether it takes
// truth values only.
func (op pairOp) floats() bool  { return op <= pairFloorMod }
func (op pairOp) logical() bool { return op == pairAnd || op == pairOr }

// divides reports whether an operator refuses zeros.
func (op pairOp) divides() bool { return op == pairFloorDiv || op == pairFloorMod }

func preparePair(n *Node, op pairOp) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	t := p.out.Type
	if op.logical() != (t == graph.Bool) && !(op == pairXor && t == graph.Bool) {
		return nil, unsupported("%v", t)
	}
	switch t {
	case graph.Float32:
		if op.floats() {
			k := newPairwise[float32, float32, float32](p.loops, pairFloat{op}, 3)
			if op == pairFloorDiv {
				return newNonZero[float32](k, 0), nil
			}
			return k, nil
		}
	case graph.Bool:
		return newPairwise[uint8, uint8, uint8](p.loops, pairWhole[uint8]{op: op, bits: 8}, 1), nil
	case graph.Int8:
		return newWholePair[int8](&p, op, 8), nil
	case graph.Uint8:
		return newWholePair[uint8](&p, op, 8), nil
	case graph.Int16:
		return newWholePair[int16](&p, op, 16), nil
	case graph.Uint16:
		return newWholePair[uint16](&p, op, 16), nil
	case graph.Int32:
		return newWholePair[int32](&p, op, 32), nil
	case graph.Uint32:
		return newWholePair[uint32](&p, op, 32), nil
	case graph.Int64:
		return newWholePair[int64](&p, op, 64), nil
	}
	return nil, unsupported("%v", t)
}

// bitwise is an element that has bits.
type bitwise interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64
}

func newWholePair[T bitwise](p *pair, op pairOp, bits int) Kernel {
	k := newPairwise[T, T, T](p.loops, pairWhole[T]{op, bits}, 2)
	if op.divides() {
		return newNonZero[T](k, 0)
	}
	return k
}

// nonZero is a kernel that refuses second operands with numbers that stand for
// zero.
type nonZero[T number] struct {
	Kernel
	zero T
	err  error
}

func newNonZero[T number](k Kernel, zero T) Kernel {
	return &nonZero[T]{k, zero, fmt.Errorf("division by zero (%v)", zero)}
}

// Run checks the operand first.
func (k *nonZero[T]) Run(c *Call) error {
	for _, v := range view[T](c.In[1]) {
		if v == k.zero {
			return k.err
		}
	}
	return k.Kernel.Run(c)
}

type pairFloat struct{ op pairOp }

func (k pairFloat) row(a, b, out []float32) {
	b, out = b[:len(a)], out[:len(a)]
	switch k.op {
	case pairMax:
		for i, v := range a {
			if !(v > b[i]) {
				v = b[i]
			}
			out[i] = v
		}
	case pairMin:
		for i, v := range a {
			if !(v < b[i]) {
				v = b[i]
			}
			out[i] = v
		}
	case pairFloorDiv:
		for i, v := range a {
			out[i] = float32(math.Floor(float64(v) / float64(b[i])))
		}
	case pairFloorMod:
		for i, v := range a {
			m := float32(math.Mod(float64(v), float64(b[i])))
			if m != 0 && (b[i] < 0) != (m < 0) {
				m += b[i]
			}
			out[i] = m
		}
	}
}

// pairWhole computes with integers and truth values.
type pairWhole[T bitwise] struct {
	op   pairOp
	bits int
}

func (k pairWhole[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	switch k.op {
	case pairMax:
		for i, v := range a {
			out[i] = max(v, b[i])
		}
	case pairMin:
		for i, v := range a {
			out[i] = min(v, b[i])
		}
	case pairFloorDiv:
		for i, v := range a {
			q := v / b[i]
			if v%b[i] != 0 && (v < 0) != (b[i] < 0) {
				q--
			}
			out[i] = q
		}
	case pairFloorMod:
		for i, v := range a {
			m := v % b[i]
			if m != 0 && (b[i] < 0) != (m < 0) {
				m += b[i]
			}
			out[i] = m
		}
	default:
		k.bitRow(a, b, out)
	}
}

func (k pairWhole[T]) bitRow(a, b, out []T) {
	switch k.op {
	case pairAnd:
		for i, v := range a {
			out[i] = truth[T](v != 0 && b[i] != 0)
		}
	case pairOr:
		for i, v := range a {
			out[i] = truth[T](v != 0 || b[i] != 0)
		}
	case pairXor:
		for i, v := range a {
			out[i] = v ^ b[i]
		}
	case pairShift:
		for i, v := range a {
			n := uint64(k.bits - 1) // at most
			if b[i] < 0 {
				n = 0
			} else if uint64(b[i]) < n {
				n = uint64(b[i])
			}
			out[i] = v >> n
		}
	}
}

// truth returns 1 for true.
func truth[T bitwise](b bool) T {
	if b {
		return 1
	}
	return 0
}

func prepareAtan2(n *Node) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	if err := convResult(p.b, p.a.Shape...); err != nil {
		return nil, err
	}
	switch p.out.Type {
	case graph.Float32:
		return newPairwise[float32, float32, float32](p.loops, atan2[float32]{}, 60), nil
	case graph.Float64:
		return newPairwise[float64, float64, float64](p.loops, atan2[float64]{}, 60), nil
	}
	return nil, unsupported("%v", p.out.Type)
}

type atan2[T float32 | float64] struct{}

func (atan2[T]) row(a, b, out []T) {
	for i, v := range a {
		out[i] = T(math.Atan2(float64(v), float64(b[i])))
	}
}

func preparePow(n *Node) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	switch p.out.Type {
	case graph.Float32:
		return newPairwise[float32, float32, float32](p.loops, powFloat{}, 60), nil
	case graph.Int32:
		return &notNegative{newPairwise[int32, int32, int32](p.loops, powWhole{}, 60)}, nil
	}
	return nil, unsupported("%v", p.out.Type)
}

type powFloat struct{}

func (powFloat) row(a, b, out []float32) {
	for i, v := range a {
		out[i] = float32(math.Pow(float64(v), float64(b[i])))
	}
}

type powWhole struct{}

func (powWhole) row(a, b, out []int32) {
	for i, v := range a {
		out[i] = toInt32(math.Pow(float64(v), float64(b[i])))
	}
}

// notNegative is a kernel that refuses exponents below zero.
type notNegative struct{ Kernel }

// Run checks the operand first.
func (k *notNegative) Run(c *Call) error {
	for _, v := range view[int32](c.In[1]) {
		if v < 0 {
			return errExponent
		}
	}
	return k.Kernel.Run(c)
}

var errExponent = errors.New("exponent below zero")
