package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Sums, differences and products: K/add.cc, K/sub.cc, K/mul.cc, R/add.h, R/sub.h
// and R/mul.h of google-ai-edge/LiteRT at f67457790c9c. Integers without
// quantisation wrap around.

func arithmeticFamily() map[string]prepare {
	return map[string]prepare{
		"ADD": func(n *Node) (Kernel, error) { return prepareArithmetic(n, opAdd) },
		"SUB": func(n *Node) (Kernel, error) { return prepareArithmetic(n, opSub) },
		"MUL": func(n *Node) (Kernel, error) { return prepareArithmetic(n, opMul) },
	}
}

type arithmeticOp uint8

const (
	opAdd arithmeticOp = iota
	opSub
	opMul
	opDiv
)

// pair is an operator of two operands that has been looked at.
type pair struct {
	loops
	a, b, out *Tensor
}

// newPair returns the operands of an operator of two, and the loops.
func newPair(n *Node) (p pair, err error) {
	if p.a, err = n.in(0); err != nil {
		return p, err
	}
	if p.b, err = n.in(1); err != nil {
		return p, err
	}
	if p.out, err = n.out(0); err != nil {
		return p, err
	}
	p.loops, err = newLoops(p.out, p.a, p.b)
	return p, err
}

// alike makes sure that operands and result have the same type.
func (p *pair) alike() error {
	if p.a.Type != p.b.Type || p.a.Type != p.out.Type {
		return invalid("%v and %v make %v", p.a.Type, p.b.Type, p.out.Type)
	}
	return nil
}

// newAlikePair is newPair for operands and a result of one type.
func newAlikePair(n *Node) (pair, error) {
	p, err := newPair(n)
	if err == nil {
		err = p.alike()
	}
	return p, err
}

func prepareArithmetic(n *Node, op arithmeticOp) (Kernel, error) {
	p, err := newAlikePair(n)
	if err != nil {
		return nil, err
	}
	activation := n.Op.Attributes.Byte(0, 0)
	if activation < actNone || activation > actSignBit {
		return nil, invalid("fused activation %d", activation)
	}
	switch p.out.Type {
	case graph.Float32:
		f := floatArithmetic{op: op}
		f.low, f.high, err = floatClamp(activation)
		return newPairwise[float32, float32, float32](p.loops, &f, 1), err
	case graph.Int32:
		if n.Arithmetic == Micro && op == opAdd {
			activation = actNone // not looked at
		}
		return newPairwise(p.loops, newWhole[int32](op, activation, math.MinInt32, math.MaxInt32), 1), nil
	case graph.Int64:
		return newPairwise(p.loops, newWhole[int64](op, activation, math.MinInt64, math.MaxInt64), 1), nil
	case graph.Uint32:
		if op == opMul {
			return newPairwise(p.loops, newWhole[uint32](op, activation, 0, math.MaxUint32), 1), nil
		}
	case graph.Int16:
		if p.out.Quant != nil {
			return newQuantisedArithmetic[int16](n, &p, op, activation)
		}
		if op != opSub {
			return newPairwise(p.loops, newWhole[int16](op, activation, math.MinInt16, math.MaxInt16), 1), nil
		}
	case graph.Int8:
		return newQuantisedArithmetic[int8](n, &p, op, activation)
	case graph.Uint8:
		return newQuantisedArithmetic[uint8](n, &p, op, activation)
	}
	return nil, unsupported("%v", p.out.Type)
}

// floatArithmetic computes with float32.
type floatArithmetic struct {
	op        arithmeticOp
	low, high float32
}

func (f *floatArithmetic) row(a, b, out []float32) {
	b, out = b[:len(a)], out[:len(a)]
	low, high := f.low, f.high
	switch f.op {
	case opAdd:
		for i, v := range a {
			out[i] = clampFloat(v+b[i], low, high)
		}
	case opSub:
		for i, v := range a {
			out[i] = clampFloat(v-b[i], low, high)
		}
	case opMul:
		for i, v := range a {
			out[i] = clampFloat(v*b[i], low, high)
		}
	case opDiv:
		for i, v := range a {
			out[i] = clampFloat(v/b[i], low, high)
		}
	}
}

// whole computes with integers that are not quantised.
type whole[T int16 | int32 | uint32 | int64] struct {
	op        arithmeticOp
	low, high T
}

// newWhole returns arithmetic of integers with the clamp of a fused activation;
// the bounds are those of the type.
func newWhole[T int16 | int32 | uint32 | int64](op arithmeticOp, activation int8, low, high T) pairRow[T, T, T] {
	w := &whole[T]{op, low, high}
	switch activation {
	case actRelu:
		w.low = 0
	case actRelu6:
		w.low, w.high = 0, 6
	case actReluN1To1:
		minus := T(0)
		minus--
		w.low, w.high = minus, 1
	}
	return w
}

func (w *whole[T]) row(a, b, out []T) {
	b, out = b[:len(a)], out[:len(a)]
	low, high := w.low, w.high
	switch w.op {
	case opAdd:
		for i, v := range a {
			out[i] = min(max(v+b[i], low), high)
		}
	case opSub:
		for i, v := range a {
			out[i] = min(max(v-b[i], low), high)
		}
	case opMul:
		for i, v := range a {
			out[i] = min(max(v*b[i], low), high)
		}
	case opDiv: // zeros are refused before
		for i, v := range a {
			out[i] = min(max(v/b[i], low), high)
		}
	}
}
