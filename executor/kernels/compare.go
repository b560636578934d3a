package kernels

import "github.com/arenalab/arenalab/graph"

// Comparisons: K/comparisons.cc of google-ai-edge/LiteRT at f67457790c9c.
// Quantised numbers are scaled before they are compared: with eight bits to
// spare, by the scales themselves.

func compareFamily() map[string]prepare {
	return map[string]prepare{
		"EQUAL":         func(n *Node) (Kernel, error) { return prepareCompare(n, cmpEqual) },
		"NOT_EQUAL":     func(n *Node) (Kernel, error) { return prepareCompare(n, cmpNotEqual) },
		"LESS":          func(n *Node) (Kernel, error) { return prepareCompare(n, cmpLess) },
		"LESS_EQUAL":    func(n *Node) (Kernel, error) { return prepareCompare(n, cmpLessEqual) },
		"GREATER":       func(n *Node) (Kernel, error) { return prepareCompare(n, cmpGreater) },
		"GREATER_EQUAL": func(n *Node) (Kernel, error) { return prepareCompare(n, cmpGreaterEqual) },
	}
}

type comparison uint8

const (
	cmpEqual comparison = iota
	cmpNotEqual
	cmpLess
	cmpLessEqual
	cmpGreater
	cmpGreaterEqual
)

func prepareCompare(n *Node, op comparison) (Kernel, error) {
	p, err := newPair(n)
	if err != nil {
		return nil, err
	}
	if p.a.Type != p.b.Type || p.out.Type != graph.Bool {
		return nil, invalid("%v and %v make %v", p.a.Type, p.b.Type, p.out.Type)
	}
	switch p.a.Type {
	case graph.Float32:
		return newPairwise[float32, float32, uint8](p.loops, compareRow[float32]{op}, 1), nil
	case graph.Int32:
		return newPairwise[int32, int32, uint8](p.loops, compareRow[int32]{op}, 1), nil
	case graph.Int64:
		return newPairwise[int64, int64, uint8](p.loops, compareRow[int64]{op}, 1), nil
	case graph.Bool:
		if op <= cmpNotEqual {
			return newPairwise[uint8, uint8, uint8](p.loops, compareRow[uint8]{op}, 1), nil
		}
	case graph.Int16:
		if n.Arithmetic == Micro { // which has it for one of them, with factors that it never sets
			return nil, unsupported("%v", p.a.Type)
		}
		if op <= cmpNotEqual && p.a.Quant != nil {
			return newScaledCompare[int16](&p, op)
		}
		return newPairwise[int16, int16, uint8](p.loops, compareRow[int16]{op}, 1), nil
	case graph.Int8:
		return newScaledCompare[int8](&p, op)
	case graph.Uint8:
		return newScaledCompare[uint8](&p, op)
	}
	return nil, unsupported("%v", p.a.Type)
}

type compareRow[T number] struct{ op comparison }

func (k compareRow[T]) row(a, b []T, out []uint8) {
	b, out = b[:len(a)], out[:len(a)]
	switch k.op {
	case cmpEqual:
		for i, v := range a {
			out[i] = truth[uint8](v == b[i])
		}
	case cmpNotEqual:
		for i, v := range a {
			out[i] = truth[uint8](v != b[i])
		}
	case cmpLess:
		for i, v := range a {
			out[i] = truth[uint8](v < b[i])
		}
	case cmpLessEqual:
		for i, v := range a {
			out[i] = truth[uint8](v <= b[i])
		}
	case cmpGreater:
		for i, v := range a {
			out[i] = truth[uint8](v > b[i])
		}
	case cmpGreaterEqual:
		for i, v := range a {
			out[i] = truth[uint8](v >= b[i])
		}
	}
}

// scaledCompare compares quantised numbers.
type scaledCompare[T int8 | uint8 | int16] struct {
	op           comparison
	zeroA, zeroB int32
	a, b         multiplier
}

func newScaledCompare[T int8 | uint8 | int16](p *pair, op comparison) (Kernel, error) {
	if err := bothQuantised(p.a, p.b); err != nil {
		return nil, err
	}
	s, t := p.a.Quant.Scale[0], p.b.Quant.Scale[0]
	k := &scaledCompare[T]{op: op, a: newMultiplier(float64(s)), b: newMultiplier(float64(t))}
	k.zeroA, k.zeroB = int32(p.a.Quant.ZeroPoint(0)), int32(p.b.Quant.ZeroPoint(0))
	if k.a.shift > 0 || k.b.shift > 0 { // the runtimes would shift by less than nothing
		return nil, unsupported("scales %g and %g", s, t)
	}
	return newPairwise[T, T, uint8](p.loops, k, 4), nil
}

func (k *scaledCompare[T]) row(a, b []T, out []uint8) {
	for i, v := range a {
		x := k.a.apply((int32(v) - k.zeroA) << 8)
		y := k.b.apply((int32(b[i]) - k.zeroB) << 8)
		var is bool
		switch k.op {
		case cmpEqual:
			is = x == y
		case cmpNotEqual:
			is = x != y
		case cmpLess:
			is = x < y
		case cmpLessEqual:
			is = x <= y
		case cmpGreater:
			is = x > y
		case cmpGreaterEqual:
			is = x >= y
		}
		out[i] = truth[uint8](is)
	}
}
