package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/graph"
)

// poolOf is what a pool makes of the numbers of a window.
func poolOf(code int32, kind graph.DType, x []float64) float64 {
	best, sum, squares := math.Inf(-1), float32(0), float32(0)
	for _, v := range x {
		best = max(best, v)
		sum += float32(v)
		squares += float32(v) * float32(v)
	}
	switch {
	case code == 17:
		return best
	case code == 12:
		return float64(float32(math.Sqrt(float64(squares / float32(len(x))))))
	case kind == graph.Float32:
		return float64(sum / float32(len(x)))
	}
	return math.Round(float64(sum) / float64(len(x)))
}

func TestPool2D(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, _ := drawConv(t)
		s.outputs = s.channels
		var err error
		if s.y, err = newConvAxis(s.y.in, s.y.filter, int32(s.y.stride), 1, a.Byte(0, 0)); err != nil {
			t.Fatal(err)
		}
		if s.x, err = newConvAxis(s.x.in, s.x.filter, int32(s.x.stride), 1, a.Byte(0, 0)); err != nil {
			t.Fatal(err)
		}
		code := rapid.SampledFrom([]int32{1, 17, 12}).Draw(t, "pool")
		kind := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Int8, graph.Uint8, graph.Int16}).Draw(t, "type")
		if code == 12 {
			kind = graph.Float32
		}
		in, _, out := s.tensors(kind, kind, kind)
		activation := a.Byte(3, 0)
		low, high := -math.MaxFloat64, math.MaxFloat64
		if kind != graph.Float32 {
			in.Quant = quantOne(0.25, 0)
			out.Quant = in.Quant
			from, to, err := integerClamp(activation, out)
			if err != nil {
				t.Fatal(err)
			}
			low, high = float64(from), float64(to)
		} else if from, to, _ := floatClamp(activation); activation != actNone {
			low, high = float64(from), float64(to)
		}
		data := drawNumbers(t, in)
		n := &Node{Op: &graph.Op{Code: code, Attributes: convAttributes(a.Byte(0, 0), a.Int(1, 0), a.Int(2, 0), int32(s.x.filter), int32(s.y.filter), activation)},
			In: []*Tensor{in}, Out: []*Tensor{out}, Arithmetic: rapid.SampledFrom(Arithmetics()).Draw(t, "arithmetic")}
		got, x := numbersFrom(kind, runNode(t, n, data)), numbersFrom(kind, data)
		s.each(func(i, b, oy, ox, oc int) {
			var seen []float64
			for y := max(oy*s.y.stride-s.y.pad, 0); y < min(oy*s.y.stride-s.y.pad+s.y.filter, s.y.in); y++ {
				for c := max(ox*s.x.stride-s.x.pad, 0); c < min(ox*s.x.stride-s.x.pad+s.x.filter, s.x.in); c++ {
					seen = append(seen, x[((b*s.y.in+y)*s.x.in+c)*s.channels+oc])
				}
			}
			if want := min(max(poolOf(code, kind, seen), low), high); got[i] != want {
				t.Fatalf("element %d is %g, not %g of %v", i, got[i], want, seen)
			}
		})
	})
}

// numbersFrom reads the elements of a tensor.
func numbersFrom(kind graph.DType, b []byte) []float64 {
	var list []float64
	if kind == graph.Float32 {
		for _, v := range view[float32](b) {
			list = append(list, float64(v))
		}
		return list
	}
	for _, v := range integersFrom(kind, b) {
		list = append(list, float64(v))
	}
	return list
}
