package datasets

import (
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

var whileLoop = family{Builder{
	Name:      "while-loop",
	Title:     "WHILE loop",
	Summary:   "a recurrent convolutional block that a WHILE repeats",
	Reference: "Liang and Hu, Recurrent Convolutional Neural Network for Object Recognition, CVPR 2015",
	Meaning:   "edge of the image; channels; turns of the loop",
	Defaults:  Params{Resolution: 64, Width: 32, Depth: 3, Classes: 10},
}, drawWhile}

func drawWhile(m *model, p Params) {
	n := m.subgraph("main")
	x := n.conv(n.image(p), p.Width, win(3, 2, tflite.Relu))

	cond := m.subgraph("cond")
	count, _ := cond.loopArguments(x)
	cond.output(cond.less(count.id, cond.scalar("turns", int32(p.Depth))))

	body := m.subgraph("body")
	count, state := body.loopArguments(x)
	next := body.counter("count")
	body.op(tflite.OpAdd, tflite.AddOptions{}, []int{count.id, body.scalar("one", 1)}, next)
	a := body.conv(state, p.Width, win(3, 1, tflite.Relu))
	b := body.conv(body.maxPool(state, win(3, 1, tflite.NoActivation)), p.Width, win(1, 1, tflite.Relu))
	joined := body.conv(body.concat(3, a, b), p.Width, win(1, 1, tflite.NoActivation))
	body.output(next, body.normalise(body.plus(state, joined, tflite.NoActivation)))

	turns, result := n.counter("turns"), n.tensor("state", x.shape, x.signal)
	n.op(tflite.OpWhile, tflite.WhileOptions{Cond: int32(cond.index), Body: int32(body.index)},
		[]int{n.scalar("zero", 0), x.id}, turns, result)
	n.classify(result, p.Classes)
}

// counter adds an int32 of no dimensions.
func (n *net) counter(name string) value {
	return value{id: n.add(name, nil, tflite.Tensor{Type: graph.Int32})}
}

// loopArguments adds the inputs of both parts of a loop: turns and state.
func (n *net) loopArguments(like value) (count, state value) {
	count, state = n.counter("count"), n.tensor("state", like.shape, like.signal)
	n.sub().Inputs = []int{count.id, state.id}
	return count, state
}

var ifBranch = family{Builder{
	Name:      "if-branch",
	Title:     "IF branches",
	Summary:   "an image goes through one of two networks, by its mean",
	Reference: "Bolukbasi et al., Adaptive Neural Networks for Efficient Inference, ICML 2017, arXiv:1702.07811",
	Meaning:   "edge of the image; channels; blocks in each branch",
	Defaults:  Params{Resolution: 64, Width: 32, Depth: 2, Classes: 10},
}, drawIf}

func drawIf(m *model, p Params) {
	n := m.subgraph("main")
	in := n.image(p)
	x := n.conv(in, p.Width, win(3, 2, tflite.Relu))

	light := m.subgraph("light")
	y := light.argument(x)
	for range p.Depth {
		y = light.depthwise(y, win(3, 1, tflite.Relu))
		y = light.conv(y, p.Width, win(1, 1, tflite.Relu))
	}
	light.output(y)

	heavy := m.subgraph("heavy")
	y = heavy.argument(x)
	for range p.Depth {
		a := heavy.conv(y, p.Width, win(3, 1, tflite.Relu))
		b := heavy.conv(y, p.Width, win(5, 1, tflite.Relu))
		y = heavy.conv(heavy.concat(3, a, b, y), p.Width, win(1, 1, tflite.Relu))
	}
	heavy.output(y)

	mean := value{id: n.add("mean", nil, tflite.Tensor{Type: graph.Float32})}
	n.op(tflite.OpMean, tflite.ReducerOptions{}, []int{in.id, n.ints("axes", 0, 1, 2, 3)}, mean)
	dark := n.less(mean.id, n.floats("threshold", []float32{0}))
	result := n.tensor("result", x.shape, linearSignal.rectified())
	n.op(tflite.OpIf, tflite.IfOptions{Then: int32(light.index), Else: int32(heavy.index)}, []int{dark.id, x.id}, result)
	n.classify(result, p.Classes)
}

// argument adds the input of a branch.
func (n *net) argument(like value) value {
	v := n.tensor("argument", like.shape, like.signal)
	n.sub().Inputs = []int{v.id}
	return v
}
