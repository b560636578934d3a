package kernels

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// drawShapes draws shapes of operands that stretch to a common shape, and it.
func drawShapes(t *rapid.T, operands int) (in [][]int, out []int) {
	rank := rapid.IntRange(0, maxRank).Draw(t, "rank")
	out = make([]int, rank)
	in = make([][]int, operands)
	size := 1
	for d := range out {
		out[d] = rapid.IntRange(0, max(1, min(6, 600/max(size, 1)))).Draw(t, "dimension")
		if out[d] == 0 && rapid.IntRange(0, 9).Draw(t, "empty") > 0 {
			out[d] = 1
		}
		size *= out[d]
	}
	for i := range in {
		from := 0
		if i > 0 {
			from = rapid.IntRange(0, rank).Draw(t, "from")
		}
		in[i] = append([]int(nil), out[from:]...)
		for d := range in[i] {
			if i > 0 && rapid.Bool().Draw(t, "stretched") {
				in[i][d] = 1
			}
		}
	}
	if operands > 1 && rapid.Bool().Draw(t, "swapped") {
		in[0], in[1] = in[1], in[0]
	}
	return in, out
}

// stretched returns the index into an operand of an element of the result.
func stretched(index int, out, in []int) int {
	at, step := 0, 1
	for d := len(out) - 1; d >= 0; d-- {
		i := index % out[d]
		index /= out[d]
		if k := d - len(out) + len(in); k >= 0 {
			if in[k] > 1 {
				at += i * step
			}
			step *= in[k]
		}
	}
	return at
}

// opCode returns the code of an operator.
func opCode(name string) int32 {
	code, _ := graph.OpCode(name)
	return code
}

func elements(shape []int) int { return (&Tensor{Shape: shape}).Elements() }

func TestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, out := drawShapes(t, 2)
		name := rapid.SampledFrom([]string{"ADD", "SUB", "MUL"}).Draw(t, "operator")
		n := &Node{Op: &graph.Op{Code: opCode(name)}, Arithmetic: Reference}
		var data [2][]int32
		var bytes [][]byte
		for i, shape := range in {
			n.In = append(n.In, &Tensor{Type: graph.Int32, Shape: shape})
			size := elements(shape)
			data[i] = rapid.SliceOfN(rapid.Int32(), size, size).Draw(t, "data")
			bytes = append(bytes, convBytes(data[i]))
		}
		n.Out = []*Tensor{{Type: graph.Int32, Shape: out}}
		got := view[int32](runNode(t, n, bytes...))
		for i := range elements(out) {
			a, b := int64(data[0][stretched(i, out, in[0])]), int64(data[1][stretched(i, out, in[1])])
			want := map[string]int64{"ADD": a + b, "SUB": a - b, "MUL": int64(int32(a) * int32(b))}[name]
			if got[i] != int32(want) {
				t.Fatalf("element %d of %v %s %v is %d, not %d", i, in[0], name, in[1], got[i], int32(want))
			}
		}
	})
}

// TestStretchParallel is large enough for several workers.
func TestStretchParallel(t *testing.T) {
	shapes := [][2][]int{{{37, 61, 53}, {37, 1, 53}}, {{40, 3000}, {40, 1}}, {{1}, {120000}}, {{300, 400}, {300, 400}}}
	for _, s := range shapes {
		n := &Node{Op: &graph.Op{Code: opCode("MUL")}, Arithmetic: Reference}
		var bytes [][]byte
		var data [2][]float32
		out := s[0]
		if len(s[1]) > 0 && elements(s[1]) > elements(out) {
			out = s[1]
		}
		for i, shape := range s {
			n.In = append(n.In, &Tensor{Type: graph.Float32, Shape: shape})
			data[i] = make([]float32, elements(shape))
			for k := range data[i] {
				data[i][k] = float32(k%1013) - 500
			}
			bytes = append(bytes, convBytes(data[i]))
		}
		n.Out = []*Tensor{{Type: graph.Float32, Shape: out}}
		got := view[float32](runNode(t, n, bytes...))
		for i := range got {
			if want := data[0][stretched(i, out, s[0])] * data[1][stretched(i, out, s[1])]; got[i] != want {
				t.Fatalf("element %d of %v is %g, not %g", i, s, got[i], want)
			}
		}
	}
}

func TestElementwiseRefused(t *testing.T) {
	float := func(shape ...int) *Tensor { return &Tensor{Type: graph.Float32, Shape: shape} }
	eight := func(scale float32, zero int64) *Tensor {
		return &Tensor{Type: graph.Int8, Shape: []int{4}, Quant: quantOne(scale, zero)}
	}
	for name, c := range map[string]struct {
		in   []*Tensor
		out  *Tensor
		want error
	}{
		"shapes":       {[]*Tensor{float(3), float(4)}, float(4), ErrInvalid},
		"result":       {[]*Tensor{float(3), float(3)}, float(4), ErrInvalid},
		"no operand":   {[]*Tensor{float(3), nil}, float(3), ErrInvalid},
		"types":        {[]*Tensor{float(4), eight(1, 0)}, float(4), ErrInvalid},
		"dimensions":   {[]*Tensor{float(1, 1, 1, 1, 1, 1, 1, 1, 2), float(1)}, float(1, 1, 1, 1, 1, 1, 1, 1, 2), ErrUnsupported},
		"zero point":   {[]*Tensor{eight(1, 0), eight(1, 200)}, eight(1, 0), ErrInvalid},
		"scale":        {[]*Tensor{eight(1, 0), eight(float32(math.NaN()), 0)}, eight(1, 0), ErrInvalid},
		"small result": {[]*Tensor{eight(1, 0), eight(1, 0)}, eight(1e-7, 0), ErrUnsupported},
		"no scale":     {[]*Tensor{eight(1, 0), {Type: graph.Int8, Shape: []int{4}}}, eight(1, 0), ErrInvalid},
		"strings":      {[]*Tensor{{Type: graph.String}, {Type: graph.String}}, &Tensor{Type: graph.String}, ErrUnsupported},
	} {
		n := &Node{Op: &graph.Op{Code: opCode("ADD")}, In: c.in, Out: []*Tensor{c.out}, Arithmetic: Reference}
		if _, err := Prepare(n); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", name, err, c.want)
		}
	}
}

// TestApplyDown compares a shortcut with what it is one of.
func TestApplyDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := multiplier{rapid.Int32Range(1<<30, math.MaxInt32).Draw(t, "multiplier"), -rapid.IntRange(0, 31).Draw(t, "shift")}
		x := rapid.OneOf(rapid.Int32(), rapid.Int32Range(-100, 100)).Draw(t, "x")
		if got, want := applyDown(x, q.m, uint(-q.shift)), q.apply(x); got != want {
			t.Fatalf("%d by %v is %d, not %d", x, q, got, want)
		}
	})
}
