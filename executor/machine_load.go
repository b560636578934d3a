package executor

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// load brings the constants into memory, those that share a buffer of the file
// once.
func (m *Machine) load() error {
	l := loader{m: m, known: map[int][]byte{}, left: m.o.MaxBytes}
	for i, s := range m.model.Subgraphs {
		if len(s.Producer) != len(s.Tensors) {
			return fmt.Errorf("subgraph %d is not linked", i)
		}
		n := len(s.Tensors)
		x := &subgraph{s: s, bytes: make([]int64, n), constant: make([][]byte, n), handle: make([]bool, n), drawn: make([]bool, n)}
		m.subs = append(m.subs, x)
		for t := range s.Tensors {
			if err := l.tensor(x, &s.Tensors[t]); err != nil {
				return fmt.Errorf("subgraph %d: tensor %d %q: %w", i, t, s.Tensors[t].Name, err)
			}
		}
	}
	if l.drawn > 0 {
		m.notes = append(m.notes, fmt.Sprintf("constants without usable data, replaced by random numbers: %d, the first %s", l.drawn, l.first))
	}
	return nil
}

type loader struct {
	m     *Machine
	known map[int][]byte // by buffer
	left  int64          // bytes
	drawn int
	first string
}

func (l *loader) tensor(x *subgraph, t *graph.Tensor) error {
	x.handle[t.Index] = t.Type == graph.Resource
	if t.Bytes <= 0 || t.Type.Handle() {
		if t.Constant && t.Bytes == 0 {
			x.constant[t.Index] = []byte{}
		}
		return nil
	}
	x.bytes[t.Index] = t.Bytes
	if !t.Constant {
		return l.take(t.Bytes)
	}
	data, ok := l.known[t.Buffer]
	if ok && int64(len(data)) >= t.Bytes && !t.Sparse {
		x.constant[t.Index] = data[:t.Bytes:t.Bytes]
		return nil
	}
	if err := l.take(t.Bytes); err != nil {
		return err
	}
	read, err := l.m.model.ReadBuffer(t.Buffer)
	data = aligned(t.Bytes)
	if err == nil && !t.Sparse && int64(len(read)) >= t.Bytes {
		copy(data, read)
		l.known[t.Buffer] = data
	} else {
		x.drawn[t.Index] = true
		draw(data, t, l.m.o.Seed+uint64(t.Buffer)<<20+uint64(t.Index)+1)
		if l.drawn++; l.drawn == 1 {
			l.first = fmt.Sprintf("tensor %d %q of subgraph %d", t.Index, t.Name, x.s.Index)
		}
	}
	x.constant[t.Index] = data
	return nil
}

func (l *loader) take(n int64) error {
	if l.left -= n; l.left < 0 {
		return fmt.Errorf("%w: the model has more than %d bytes of constants and tensors", ErrTooLarge, l.m.o.MaxBytes)
	}
	return nil
}

// aligned returns memory that starts at a multiple of eight bytes.
func aligned(n int64) []byte {
	words := make([]uint64, (n+7)/8)
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n:n]
}

// draw fills the data of a constant that the file does not have. Weights are
// scaled by what a channel sums, so that results neither vanish nor overflow.
func draw(data []byte, t *graph.Tensor, seed uint64) {
	g := generator(seed)
	g.fill(data, t.Type)
	if t.Type != graph.Float32 || len(t.Shape) < 2 {
		return
	}
	fan := 1.0
	for _, d := range t.Shape[1:] {
		fan *= float64(max(d, 1))
	}
	scale := float32(math.Sqrt(3 / fan))
	for i := range len(data) / 4 {
		f := math.Float32frombits(le32(data[4*i:])) * scale
		putLE32(data[4*i:], math.Float32bits(f))
	}
}

// prepare asks for a kernel for every operator.
func (m *Machine) prepare() {
	native := kernels.Native()
	for i, x := range m.subs {
		tensors := x.describe()
		x.ops = make([]operation, len(x.s.Ops))
		for k := range x.s.Ops {
			op := &x.s.Ops[k]
			o := operation{op: op, name: op.Name(), key: mix(mix(tagOperator, uint64(i)), uint64(k)), work: x.work(op)}
			x.operands(&o)
			switch {
			case m.o.Symbolic:
				o.reason = fmt.Errorf("%w: symbolic execution asked for", kernels.ErrUnsupported)
				if h, ok := x.flow(op); ok {
					o.how, o.reason = h, nil // subgraphs are called all the same
				}
			default:
				x.choose(m, &o, tensors, native)
			}
			x.ops[k] = o
		}
	}
}

// describe returns the tensors as kernels see them.
func (x *subgraph) describe() []kernels.Tensor {
	list := make([]kernels.Tensor, len(x.s.Tensors))
	for i := range list {
		t := &x.s.Tensors[i]
		shape := make([]int, len(t.Shape))
		for k, d := range t.Shape {
			shape[k] = int(d)
		}
		list[i] = kernels.Tensor{
			Name: t.Name, Type: t.Type, Shape: shape, Quant: along(t), Constant: x.constant[i], Variable: t.Variable,
		}
	}
	return list
}

// along returns the quantisation of a tensor with an axis that the tensor has.
// Converters give the bias of a layer the axis of its weights; runtimes do not
// look at it.
func along(t *graph.Tensor) *graph.Quant {
	q := t.Quant
	if q == nil || q.Axis >= 0 && q.Axis < max(len(t.Shape), 1) || len(t.Shape) > 1 {
		return q
	}
	if n := len(q.Scale); n != 1 && (len(t.Shape) == 0 || n != int(t.Shape[0])) {
		return q
	}
	out := *q
	out.Axis = 0
	return &out
}

// operands lists what an operator reads, each tensor once, and what of it it
// may write.
func (x *subgraph) operands(o *operation) {
	seen := map[int]bool{}
	for _, t := range o.op.Inputs {
		if t < 0 || seen[t] {
			continue
		}
		seen[t] = true
		o.reads = append(o.reads, t)
		if x.s.Tensors[t].Variable && x.bytes[t] > 0 {
			o.state = append(o.state, t)
		}
	}
}

// choose finds out what runs an operator.
func (x *subgraph) choose(m *Machine, o *operation, tensors []kernels.Tensor, native bool) {
	if h, ok := x.flow(o.op); ok {
		o.how = h
		return
	}
	if !native {
		o.reason = fmt.Errorf("%w: this machine is not little-endian", kernels.ErrUnsupported)
		return
	}
	pick := func(list []int) []*kernels.Tensor {
		out := make([]*kernels.Tensor, len(list))
		for k, t := range list {
			if t < 0 {
				continue
			}
			out[k] = &tensors[t]
			if s := &x.s.Tensors[t]; s.Bytes == graph.NoSize && o.reason == nil {
				o.reason = fmt.Errorf("%w: tensor %d %q is of type %v", kernels.ErrUnsupported, t, s.Name, s.Type)
			}
		}
		return out
	}
	node := &kernels.Node{
		Op: o.op, In: pick(o.op.Inputs), Out: pick(o.op.Outputs), Mid: pick(o.op.Intermediates), Arithmetic: m.o.Arithmetic,
	}
	if o.reason != nil {
		return
	}
	k, err := kernels.Prepare(node)
	if err != nil {
		o.reason = err
		return
	}
	o.how, o.kernel = byKernel, k
}

// flow reports whether the engine itself runs an operator: calls of subgraphs
// and what handles variables.
func (x *subgraph) flow(op *graph.Op) (how, bool) {
	callees := len(op.Callees)
	one := len(op.Inputs) > 0 && op.Inputs[0] >= 0
	switch {
	case op.Code == graph.OpIf && callees == 2 && one && x.bytes[op.Inputs[0]] > 0:
		return byIf, true
	case op.Code == graph.OpWhile && callees == 2 && len(op.Inputs) == len(op.Outputs):
		return byWhile, true
	case op.Code == graph.OpCallOnce && callees == 1:
		return byOnce, true
	case op.Code == graph.OpStablehloComposite && callees == 1:
		return byCall, true
	case op.Code == graph.OpVarHandle && len(op.Outputs) == 1 && x.handle[op.Outputs[0]]:
		return byHandle, true
	case op.Code == graph.OpReadVariable && one && x.handle[op.Inputs[0]] && len(op.Outputs) == 1 && x.bytes[op.Outputs[0]] > 0:
		return byRead, true
	case op.Code == graph.OpAssignVariable && one && x.handle[op.Inputs[0]] && len(op.Inputs) == 2 && op.Inputs[1] >= 0 && x.bytes[op.Inputs[1]] > 0:
		return byAssign, true
	case graph.OpName(op.Code) == "DENSIFY" && one && len(op.Outputs) == 1 && x.constant[op.Inputs[0]] != nil && x.bytes[op.Inputs[0]] == x.bytes[op.Outputs[0]]:
		return byCopy, true // constants are dense in memory
	case graph.OpName(op.Code) == "BITCAST" && one && len(op.Outputs) == 1 && x.bytes[op.Inputs[0]] == x.bytes[op.Outputs[0]]:
		return byCopy, true
	}
	return 0, false
}

// work estimates the multiplications of an operator.
func (x *subgraph) work(op *graph.Op) int64 {
	most := int64(1)
	for _, list := range [][]int{op.Inputs, op.Outputs} {
		for _, t := range list {
			if t >= 0 {
				most = max(most, x.elements(t))
			}
		}
	}
	if len(op.Outputs) == 0 || len(op.Inputs) < 2 {
		return most
	}
	out := op.Outputs[0]
	var filter int
	switch graph.OpName(op.Code) {
	case "CONV_2D", "CONV_3D", "FULLY_CONNECTED", "DEPTHWISE_CONV_2D", "BATCH_MATMUL":
		filter = op.Inputs[1]
	case "TRANSPOSE_CONV":
		filter, out = op.Inputs[1], op.Inputs[min(2, len(op.Inputs)-1)]
	case "UNIDIRECTIONAL_SEQUENCE_LSTM", "SVDF", "LSTM":
		n := int64(0)
		for _, t := range op.Inputs[1:] {
			if t >= 0 {
				n += x.elements(t)
			}
		}
		steps := int64(1)
		if shape := x.s.Tensors[op.Outputs[0]].Shape; len(shape) == 3 {
			steps = int64(shape[0]) * int64(shape[1])
		}
		return times(n, steps)
	default:
		return most
	}
	if filter < 0 || out < 0 {
		return most
	}
	shape := x.s.Tensors[filter].Shape
	if len(shape) < 2 {
		return most
	}
	each := x.elements(filter)
	switch graph.OpName(op.Code) {
	case "DEPTHWISE_CONV_2D":
		each /= max(int64(shape[len(shape)-1]), 1)
	case "BATCH_MATMUL":
		each = int64(max(shape[len(shape)-1], shape[len(shape)-2]))
	case "CONV_3D":
		each /= max(int64(shape[len(shape)-1]), 1)
	default:
		each /= max(int64(shape[0]), 1)
	}
	return max(most, times(x.elements(out), each))
}

func (x *subgraph) elements(t int) int64 {
	bits := x.s.Tensors[t].Type.Bits()
	if bits == 0 {
		return 1
	}
	return max(x.bytes[t]*8/bits, 1)
}

// times multiplies without overflow.
func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64 / 4
	}
	return min(a*b, math.MaxInt64/4)
}
