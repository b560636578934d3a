package kernels

import (
	"errors"
	"sort"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// elementwiseNames are the operators of the families here.
func elementwiseNames() []string {
	var names []string
	for _, family := range []map[string]prepare{
		arithmeticFamily(), castFamily(), compareFamily(), mathsFamily(), normalizeFamily(), pairsFamily(), quantizeFamily(),
		reluFamily(), selectFamily(), sigmoidFamily(), softmaxFamily(),
	} {
		for name := range family {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// drawElementwise draws a node whose operands mostly fit.
func drawElementwise(s *convSource, names []string) *Node {
	name := names[s.next()%len(names)]
	count := 1 + s.below(3)
	n := &Node{Op: &graph.Op{Code: opCode(name)}, Arithmetic: Arithmetics()[s.below(3)]}
	first := s.tensor(s.below(5))
	like := func(t *Tensor) *Tensor { // the same, or not quite
		if s.below(8) == 0 {
			return s.tensor(s.below(5))
		}
		if t == nil {
			return nil
		}
		c := *t
		c.Constant = nil
		if s.below(4) == 0 && len(c.Shape) > 0 {
			c.Shape = append([]int{}, c.Shape...)
			c.Shape[s.below(len(c.Shape))] = 1
		}
		if s.below(2) == 0 && c.Quant != nil {
			c.Quant = quantOne([]float32{1.0 / 256, 1.0 / 128, 1.0 / 16, 1.0 / 32768, 0.05}[s.below(5)], []int64{-128, 0, 127, 255}[s.below(4)])
		}
		return &c
	}
	n.In = append(n.In, first)
	for range count - 1 {
		n.In = append(n.In, like(first))
	}
	out := like(first)
	switch {
	case out != nil && compareFamily()[name] != nil:
		out.Type = graph.Bool
	case out != nil && (name == "CAST" || name == "QUANTIZE" || name == "DEQUANTIZE"):
		out.Type = graph.DType(s.below(19))
	}
	n.Out = append(n.Out, out)
	n.Op.Attributes = convAttributes(int8(s.below(7)), s.option(), float32(s.option())/2, float32(s.option()))
	if s.below(2) == 0 {
		n.Op.Attributes = convAttributes(float32(s.option())/2, s.below(2) == 0)
	}
	return n
}

// tryElementwise prepares a node, and runs it if it is small.
func tryElementwise(t *testing.T, data []byte, names []string) (ran bool) {
	s := convSource(data)
	n := drawElementwise(&s, names)
	if n.check() != nil {
		return false
	}
	k, err := lookup(n.Op)(n) // where a panic is not caught
	if err != nil {
		if !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrInvalid) {
			t.Fatalf("%s: %v", n.Op.Name(), err)
		}
		return false
	}
	c := &Call{Pool: NewPool(1)}
	for i, list := range [][]*Tensor{n.In, n.Out} {
		for _, x := range list {
			if x == nil {
				c.In = append(c.In, nil) // of a kernel that does not need it
				continue
			}
			size, ok := smallSize(x)
			if !ok {
				return false
			}
			b := make([]byte, size, size+8)
			for k := range b {
				b[k] = byte(s.next())
			}
			if i == 0 {
				c.In = append(c.In, b)
			} else {
				c.Out = append(c.Out, b)
			}
		}
	}
	k.Run(c) // may refuse the data
	return true
}

// TestElementwiseRandom makes sure that no node panics, and that enough of them
// are computed.
func TestElementwiseRandom(t *testing.T) {
	names := elementwiseNames()
	ran := 0
	state := uint64(1)
	for range 20000 {
		data := make([]byte, 200)
		for i := range data {
			state = state*6364136223846793005 + 1442695040888963407
			data[i] = byte(state >> 56)
		}
		if tryElementwise(t, data, names) {
			ran++
		}
	}
	if t.Logf("%d nodes ran", ran); ran < 1000 {
		t.Errorf("only %d nodes ran", ran)
	}
}

func FuzzElementwise(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	names := elementwiseNames()
	f.Fuzz(func(t *testing.T, data []byte) { tryElementwise(t, data, names) })
}
