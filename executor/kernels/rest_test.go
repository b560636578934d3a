package kernels

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

// smallShape draws dimensions of one to four elements.
func smallShape(t *rapid.T, rank int) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 4), rank, rank).Draw(t, "shape")
}

// drawInts draws small numbers for a tensor.
func drawInts(t *rapid.T, shape []int, low, high int32) []int32 {
	n := elementsOf(shape)
	return rapid.SliceOfN(rapid.Int32Range(low, high), n, n).Draw(t, "numbers")
}

// bytesOf returns numbers as they lie in memory.
func bytesOf[T number](x []T) []byte {
	size := int(unsafe.Sizeof(*new(T))) * len(x)
	b := make([]byte, size, size+8)
	copy(view[T](b), x)
	return b
}

// position returns the indices of element i of a shape.
func position(shape []int, i int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d], i = i%shape[d], i/shape[d]
	}
	return at
}

// element returns which element of a shape has those indices.
func element(shape, at []int) int {
	i := 0
	for d, v := range at {
		i = i*shape[d] + v
	}
	return i
}

func nodeOf(op string, a graph.Attributes, out *Tensor, in ...*Tensor) *Node {
	return &Node{Op: &graph.Op{Code: opCode(op), Attributes: a}, In: in, Out: []*Tensor{out}, Arithmetic: Reference}
}

func constantInts(x ...int32) *Tensor {
	return &Tensor{Type: graph.Int32, Shape: []int{len(x)}, Constant: bytesOf(x)}
}

// TestReduceDefinition adds up and compares in 64 bits, element by element; and
// means of bytes must be within one of the real ones, in all arithmetics.
func TestReduceDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := smallShape(t, rapid.IntRange(1, 4).Draw(t, "rank"))
		gone := rapid.SliceOfN(rapid.Bool(), len(shape), len(shape)).Draw(t, "gone")
		var axes []int32
		var left []int
		for d, g := range gone {
			if !g {
				left = append(left, shape[d])
			} else if axes = append(axes, int32(d)); d%2 == 0 {
				axes[len(axes)-1] -= int32(len(shape)) // from the end
			}
		}
		x := drawInts(t, shape, -128, 127)
		sums, most, count := make([]int64, elementsOf(left)), make([]int32, elementsOf(left)), elementsOf(shape)/elementsOf(left)
		for i := range most {
			most[i] = math.MinInt32
		}
		for i, v := range x {
			var to []int
			for d, p := range position(shape, i) {
				if !gone[d] {
					to = append(to, p)
				}
			}
			k := element(left, to)
			sums[k], most[k] = sums[k]+int64(v), max(most[k], v)
		}
		in, out := &Tensor{Type: graph.Int32, Shape: shape}, &Tensor{Type: graph.Int32, Shape: left}
		for i, v := range view[int32](runNode(t, nodeOf("SUM", graph.Attributes{}, out, in, constantInts(axes...)), bytesOf(x), nil)) {
			if int64(v) != sums[i] {
				t.Fatalf("sum %d is %d, not %d", i, v, sums[i])
			}
		}
		if got := view[int32](runNode(t, nodeOf("REDUCE_MAX", graph.Attributes{}, out, in, constantInts(axes...)), bytesOf(x), nil)); !slices.Equal(got, most) {
			t.Fatalf("greatest %d, not %d", got, most)
		}
		small := make([]int8, len(x))
		for i, v := range x {
			small[i] = int8(v)
		}
		in, out = quantisedTensor(graph.Int8, 0.5, 3, shape...), quantisedTensor(graph.Int8, 0.7, -5, left...)
		for _, a := range Arithmetics() {
			n := nodeOf("MEAN", graph.Attributes{}, out, in, constantInts(axes...))
			n.Arithmetic = a
			for i, v := range view[int8](runNode(t, n, bytesOf(small), nil)) {
				mean := float64(sums[i])/float64(count) - 3
				if want := min(max(mean*0.5/0.7-5, -128), 127); math.Abs(float64(v)-want) > 1 {
					t.Fatalf("%s: mean %d is %d, not %g", a, i, v, want)
				}
			}
		}
	})
}

// TestGatherDefinition looks up element by element.
func TestGatherDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := smallShape(t, 3)
		at := rapid.IntRange(0, 2).Draw(t, "axis")
		shared := rapid.IntRange(0, at).Draw(t, "batch dimensions")
		numbers := append(append([]int(nil), shape[:shared]...), smallShape(t, rapid.IntRange(0, 2).Draw(t, "rank"))...)
		x, which := drawInts(t, shape, -9, 9), drawInts(t, numbers, 0, int32(shape[at]-1))
		want := append(append(append([]int(nil), shape[:at]...), numbers[shared:]...), shape[at+1:]...)
		a := convAttributes(int32(at-3), int32(shared))
		n := nodeOf("GATHER", a, &Tensor{Type: graph.Int32, Shape: want}, &Tensor{Type: graph.Int32, Shape: shape}, &Tensor{Type: graph.Int32, Shape: numbers})
		for i, v := range view[int32](runNode(t, n, bytesOf(x), bytesOf(which))) {
			p := position(want, i)
			chosen := append(append([]int(nil), p[:shared]...), p[at:at+len(numbers)-shared]...)
			from := append(append(append([]int(nil), p[:at]...), int(which[element(numbers, chosen)])), p[at+len(numbers)-shared:]...)
			if v != x[element(shape, from)] {
				t.Fatalf("element %v is %d, not that at %v", p, v, from)
			}
		}
	})
}

// TestRankDefinition sorts whole rows, and adds up from the beginning for each
// element.
func TestRankDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := smallShape(t, 2)
		x := drawInts(t, shape, -3, 3)
		in := &Tensor{Type: graph.Int32, Shape: shape}
		rows, size := shape[0], shape[1]
		count := rapid.IntRange(0, size).Draw(t, "count")
		top := &Tensor{Type: graph.Int32, Shape: []int{rows, count}}
		n := nodeOf("TOPK_V2", graph.Attributes{}, top, in, &Tensor{Type: graph.Int32})
		n.Out = append(n.Out, top)
		k, err := Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		values, where := make([]byte, 4*rows*count, 4*rows*count+8), make([]byte, 4*rows*count, 4*rows*count+8)
		c := &Call{In: [][]byte{bytesOf(x), bytesOf([]int32{int32(count)})}, Out: [][]byte{values, where}, Pool: NewPool(1)}
		if err := k.Run(c); err != nil {
			t.Fatal(err)
		}
		sums := view[int32](runNode(t, nodeOf("CUMSUM", graph.Attributes{}, in, in, constantInts(1)), bytesOf(x), nil))
		for r := range rows {
			row := x[r*size:][:size]
			order := make([]int, size)
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(a, b int) int { return int(row[b] - row[a]) })
			for i, at := range order[:count] {
				if v, w := view[int32](values)[r*count+i], view[int32](where)[r*count+i]; v != row[at] || int(w) != at {
					t.Fatalf("number %d of %v is %d at %d", i, row, v, w)
				}
			}
			for i := range row {
				sum := int32(0)
				for _, v := range row[:i+1] {
					sum += v
				}
				if sums[r*size+i] != sum {
					t.Fatalf("sums of %v are %v", row, sums[r*size:][:size])
				}
			}
		}
	})
}

// TestScatterGather scatters to places of their own and gathers again.
func TestScatterGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := smallShape(t, 3)
		depth := rapid.IntRange(1, 3).Draw(t, "depth")
		places := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range elementsOf(shape[:depth]) {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "places")
		places = places[:rapid.IntRange(1, len(places)).Draw(t, "count")]
		var numbers []int32
		for _, p := range places {
			for _, v := range position(shape[:depth], p) {
				numbers = append(numbers, int32(v))
			}
		}
		rows := append([]int{len(places)}, shape[depth:]...)
		x := drawInts(t, rows, -9, 9)
		at, part, whole := &Tensor{Type: graph.Int32, Shape: []int{len(places), depth}}, &Tensor{Type: graph.Int32, Shape: rows}, &Tensor{Type: graph.Int32, Shape: shape}
		size := bytesOf([]int32{int32(shape[0]), int32(shape[1]), int32(shape[2])})
		all := runNode(t, nodeOf("SCATTER_ND", graph.Attributes{}, whole, at, part, &Tensor{Type: graph.Int32, Shape: []int{3}}), bytesOf(numbers), bytesOf(x), size)
		back := runNode(t, nodeOf("GATHER_ND", graph.Attributes{}, part, whole, at), all, bytesOf(numbers))
		if !slices.Equal(view[int32](back), x) {
			t.Fatalf("%v came back as %v", x, view[int32](back))
		}
		sum := int32(0)
		for _, v := range view[int32](all) {
			sum += v
		}
		for _, v := range x {
			sum -= v
		}
		if sum != 0 {
			t.Fatal("other places are not 0")
		}
	})
}

// TestOutsideRefused makes sure that indices that lead out of an operand are
// errors, and that shapes that were not planned are.
func TestOutsideRefused(t *testing.T) {
	x := &Tensor{Type: graph.Int32, Shape: []int{2}}
	one := &Tensor{Type: graph.Int32, Shape: []int{1}}
	run := func(n *Node, in ...[]byte) error {
		k, err := Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		return k.Run(&Call{In: in, Out: [][]byte{make([]byte, 64)[:elementsOf(n.Out[0].Shape)*8]}, Pool: NewPool(1)})
	}
	data := bytesOf([]int32{1, 0})
	for _, bad := range []int32{-1, 2, math.MaxInt32, math.MinInt32} {
		if err := run(nodeOf("GATHER", convAttributes(int32(0), int32(0)), one, x, one), data, bytesOf([]int32{bad})); err == nil {
			t.Errorf("GATHER of index %d is not refused", bad)
		}
	}
	where := nodeOf("WHERE", graph.Attributes{}, &Tensor{Type: graph.Int64, Shape: []int{2, 1}}, x)
	if err := run(where, data); err != ErrDynamic {
		t.Errorf("WHERE of another number of elements: %v", err)
	}
}
