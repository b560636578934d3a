package datasets

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// maxConstants limits the constants of a network, in bytes.
const maxConstants = 512 << 20

// model is a file being drawn. After the first error, as in a dry run, drawing
// goes on with shapes alone: errors need not be checked for at every layer.
type model struct {
	file      tflite.File
	rng       *rand.Rand
	int8      bool
	dry       bool  // no weights are made, only counted
	constants int64 // random numbers made for weights
	err       error
}

// net is one subgraph of a model.
type net struct {
	*model
	index int
	scope string // prefix of tensor names
}

// value is a tensor of a subgraph while the network is being drawn.
type value struct {
	id     int
	shape  []int
	signal signal
	quant  quant
}

func (v value) batch() int    { return v.shape[0] }
func (v value) height() int   { return v.shape[1] }
func (v value) width() int    { return v.shape[2] }
func (v value) channels() int { return v.shape[len(v.shape)-1] }

func (v value) elements() int {
	n := 1
	for _, d := range v.shape {
		n *= d
	}
	return n
}

// spatial returns the shape with other height, width and channels.
func (v value) spatial(h, w, c int) []int { return []int{v.batch(), h, w, c} }

func (m *model) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

// subgraph starts another subgraph.
func (m *model) subgraph(name string) *net {
	m.file.Subgraphs = append(m.file.Subgraphs, tflite.Subgraph{Name: name})
	return &net{model: m, index: len(m.file.Subgraphs) - 1}
}

func (n *net) sub() *tflite.Subgraph { return &n.file.Subgraphs[n.index] }

// within names the tensors that draw makes after the part of the network.
func (n *net) within(scope string, draw func()) {
	outer := n.scope
	n.scope = outer + scope + "/"
	draw()
	n.scope = outer
}

// tensor adds a computed tensor of the network's type.
func (n *net) tensor(name string, shape []int, s signal) value {
	return n.ranged(name, shape, s, s.quant())
}

// ranged adds a computed tensor whose int8 range is given.
func (n *net) ranged(name string, shape []int, s signal, q quant) value {
	v := value{shape: shape, signal: s, quant: q}
	t := tflite.Tensor{Type: graph.Float32}
	if n.int8 {
		t.Type, t.Quant = graph.Int8, q.tensor()
	}
	v.id = n.add(name, shape, t)
	return v
}

func (n *net) add(name string, shape []int, t tflite.Tensor) int {
	s := n.sub()
	t.Name = fmt.Sprintf("%s%s_%d", n.scope, name, len(s.Tensors))
	t.Shape = make([]int32, len(shape))
	for i, d := range shape {
		t.Shape[i] = int32(d)
	}
	if size, err := graph.Size(t.Type, t.Shape); err != nil || size > math.MaxInt32 {
		n.fail("tensor %s: %v of shape %v is above 2 GiB", t.Name, t.Type, shape)
	}
	s.Tensors = append(s.Tensors, t)
	return len(s.Tensors) - 1
}

// input adds a graph input that holds uniform numbers of [-1, 1).
func (n *net) input(shape ...int) value {
	v := n.ranged("input", shape, inputSignal, quant{scale: 1.0 / 128})
	n.sub().Inputs = append(n.sub().Inputs, v.id)
	return v
}

// image adds the graph input of a network for images, of three channels.
func (n *net) image(p Params) value { return n.input(p.Batch, p.Resolution, p.Columns, 3) }

func (n *net) output(values ...value) {
	for _, v := range values {
		n.sub().Outputs = append(n.sub().Outputs, v.id)
	}
}

// op adds an operator over the tensors.
func (n *net) op(code int32, o tflite.Options, inputs []int, outputs ...value) {
	op := tflite.Op{Code: code, Options: o, Inputs: inputs}
	for _, v := range outputs {
		op.Outputs = append(op.Outputs, v.id)
	}
	n.sub().Ops = append(n.sub().Ops, op)
}

// ints adds an int32 constant: axes, shapes, paddings.
func (n *net) ints(name string, list ...int32) int {
	t := tflite.Tensor{Type: graph.Int32}
	for _, v := range list {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(v))
	}
	return n.add(name, []int{len(list)}, t)
}

// scalar adds an int32 constant without dimensions.
func (n *net) scalar(name string, v int32) int {
	t := tflite.Tensor{Type: graph.Int32, Data: binary.LittleEndian.AppendUint32(nil, uint32(v))}
	return n.add(name, nil, t)
}

// floats adds a float32 constant.
func (n *net) floats(name string, list []float32, shape ...int) int {
	t := tflite.Tensor{Type: graph.Float32, Data: make([]byte, 0, 4*len(list))}
	for _, v := range list {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	if list == nil { // over the limit: the shape alone
		t.Data = nil
	}
	return n.add(name, shape, t)
}

// named returns the tensor under its own name, as signatures list it.
func named(s *tflite.Subgraph, t int) graph.NamedTensor {
	return graph.NamedTensor{Name: s.Tensors[t].Name, Tensor: t}
}
