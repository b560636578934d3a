package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// program builds a linked subgraph from lines "OP in in > out out". Tensors
// come to be when they are first named: "x" is a graph input if nothing has
// written it, "#x" a constant, "$x" a string, "x?" has an unknown dimension,
// "." an absent operand; ":n" after the name gives the first dimension, ":" a
// scalar.
func program(t *testing.T, lines ...string) *Subgraph {
	t.Helper()
	s := &Subgraph{}
	index := map[string]int{}
	tensor := func(word string) int {
		if word == "." {
			return -1
		}
		name, dim, given := strings.Cut(word, ":")
		if i, ok := index[name]; ok {
			return i
		}
		x := Tensor{Index: len(s.Tensors), Name: name, Type: Int32, Shape: []int32{2}, Bytes: 8}
		if given {
			x.Shape = nil
			var d int32
			if n, _ := fmt.Sscan(dim, &d); n == 1 {
				x.Shape = []int32{d}
			}
		}
		x.Bytes, _ = Size(x.Type, x.Shape)
		switch {
		case strings.HasPrefix(name, "#"):
			x.Constant = x.Bytes > 0
		case strings.HasPrefix(name, "$"):
			x.Type, x.Bytes = String, NoSize
		}
		if strings.HasSuffix(name, "?") {
			x.Signature = []int32{-1}
		}
		index[name] = x.Index
		s.Tensors = append(s.Tensors, x)
		return x.Index
	}
	for i, line := range lines {
		in, out, _ := strings.Cut(line, ">")
		words := strings.Fields(in)
		op := Op{Index: i}
		if code, ok := OpCode(words[0]); ok {
			op.Code = code
		} else {
			op.Code, op.Custom = OpCustom, words[0]
		}
		for _, w := range words[1:] {
			known := len(s.Tensors)
			x := tensor(w)
			if op.Inputs = append(op.Inputs, x); x >= known && !strings.HasPrefix(w, "#") {
				s.Inputs = append(s.Inputs, x)
			}
		}
		for _, w := range strings.Fields(out) {
			op.Outputs = append(op.Outputs, tensor(w))
		}
		s.Ops = append(s.Ops, op)
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDynamicOps(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  []int
	}{
		{"static", []string{"CONV_2D x #w #b > y", "RESHAPE y #s > z", "ADD z z > o"}, nil},
		{"reshape by option", []string{"RESHAPE x > y"}, nil},
		{"reshape to a scalar", []string{"RESHAPE x #s:0 > y"}, nil},
		{"reshape by input", []string{"RESHAPE x s > y"}, []int{0}},
		{"empty input is no constant", []string{"RESHAPE x s:0 > y"}, []int{0}},
		{"reshape by shape", []string{"SHAPE x > s", "RESHAPE x s > y"}, nil},
		{"folded arithmetic", []string{
			"SHAPE x > s", "STRIDED_SLICE s #b #e #t > n", "MUL n #two > m", "GATHER s #i > g",
			"CONCATENATION m g > c", "RESHAPE x c > y",
		}, nil},
		{"pack is not folded", []string{"SHAPE x > s", "PACK s #one > p", "RESHAPE x p > y"}, []int{2}},
		{"add is not folded", []string{"RANK x > r:", "ADD r #one > p", "FILL p #v > y"}, []int{2}},
		{"product of few", []string{"SHAPE x > s:8", "REDUCE_PROD s #axis > p:", "FILL p #v > y"}, nil},
		{"product of many", []string{"SHAPE x > s:99", "REDUCE_PROD s #axis > p:9", "FILL p #v > y"}, []int{2}},
		{"values of inputs are unknown", []string{"MUL x x > m", "TILE x m > y"}, []int{1}},
		{"two dynamic", []string{"WHERE c > i", "GATHER x i > g", "UNIQUE #u > v w"}, []int{0, 2}},
		{"constant condition", []string{"WHERE #c > i"}, nil},
		{"pad", []string{"PAD x #p > y", "PADV2 y p #v > z"}, []int{1}},
		{"pad of a scalar", []string{"PAD x: #p > y"}, []int{0}},
		{"slice with a known result", []string{"SLICE x b e > y"}, nil},
		{"slice with an unknown result", []string{"SLICE x b e > y?"}, []int{0}},
		{"slice of an unknown shape", []string{"SLICE x? #b #e > y?"}, []int{0}},
		{"slice by constants", []string{"SLICE x #b #e > y?"}, nil},
		{"strided slice", []string{"STRIDED_SLICE x b #e #t > y"}, []int{0}},
		{"axis", []string{"SUM x #a > y", "MEAN y a > z", "SPLIT #a z > p q", "SPLIT a p > u v", "SPLIT_V q #n a > h"}, []int{1, 3, 4}},
		{"resize", []string{"RESIZE_BILINEAR x #s > y", "RESIZE_NEAREST_NEIGHBOR y s > z"}, []int{1}},
		{"transposed convolution", []string{"TRANSPOSE_CONV #s #w x > y"}, nil},
		{"transposed convolution takes no folded shape", []string{"SHAPE x > s", "TRANSPOSE_CONV s #w x > y"}, []int{1}},
		{"top k", []string{"TOPK_V2 x #k > v i", "TOPK_V2 x? #k > w j", "TOPK_V2 x k > u l"}, []int{1, 2}},
		{"suppression", []string{"NON_MAX_SUPPRESSION_V4 b s #m #i #t > n c", "NON_MAX_SUPPRESSION_V5 b s m #i #t #g > o p q"}, []int{1}},
		{"range", []string{"RANGE #a #b #c > r", "RESHAPE x r > y", "RANGE #a b #c > q"}, []int{2}},
		{"random", []string{"RANDOM_UNIFORM #s > y", "RANDOM_UNIFORM s > z", "MULTINOMIAL #l #n > m", "MULTINOMIAL l #n > k"}, []int{1, 3}},
		{"string result", []string{"Tokenize x > $y"}, []int{0}},
		{"string input", []string{"Hash $x > y"}, nil},
		{"variable of unknown rank", []string{"VAR_HANDLE > h", "READ_VARIABLE h > v", "READ_VARIABLE h > w:"}, []int{2}},
		{"custom and unknown operators", []string{"Foo x y > z"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := program(t, test.lines...).DynamicOps(); !slices.Equal(got, test.want) {
				t.Errorf("dynamic operators %v, want %v", got, test.want)
			}
		})
	}
}

func TestModelDynamicOps(t *testing.T) {
	call := func(main *Subgraph, code int32, callees ...int) *Subgraph {
		main.Ops[0].Code, main.Ops[0].Callees = code, callees
		return main
	}
	static := program(t, "ADD x x > y")
	larger := program(t, "CONCATENATION x x > y:4")
	moving := program(t, "RESHAPE x s > y")
	result := func(s *Subgraph) *Subgraph { s.Outputs = []int{len(s.Tensors) - 1}; return s }
	for _, test := range []struct {
		name string
		main *Subgraph
		rest []*Subgraph
		want int // number of dynamic operators of the main subgraph
	}{
		{"if", call(program(t, "IF c x > y"), OpIf, 1, 2), []*Subgraph{result(static), result(static)}, 0},
		{"if of two shapes", call(program(t, "IF c x > y"), OpIf, 1, 2), []*Subgraph{result(static), result(larger)}, 1},
		{"if of a dynamic branch", call(program(t, "IF c x > y"), OpIf, 1, 2), []*Subgraph{result(static), result(moving)}, 1},
		{"while", call(program(t, "WHILE x > y"), OpWhile, 1, 2), []*Subgraph{result(static), result(static)}, 0},
		{"growing while", call(program(t, "WHILE x > y"), OpWhile, 1, 2), []*Subgraph{result(static), result(larger)}, 1},
		{"while of a dynamic condition", call(program(t, "WHILE x > y"), OpWhile, 1, 2), []*Subgraph{result(moving), result(static)}, 0},
		{"call once", call(program(t, "CALL_ONCE >"), OpCallOnce, 1), []*Subgraph{moving}, 0},
		{"composite", call(program(t, "STABLEHLO_COMPOSITE x > y"), OpStablehloComposite, 1), []*Subgraph{moving}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &Model{Subgraphs: append([]*Subgraph{test.main}, test.rest...)}
			if got := m.DynamicOps(0); len(got) != test.want {
				t.Errorf("dynamic operators %v, want %d", got, test.want)
			}
			if got := test.main.DynamicOps(); len(got) != 0 {
				t.Errorf("without the callees: %v", got)
			}
		})
	}
}
