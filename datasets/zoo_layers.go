package datasets

import (
	"github.com/arenalab/arenalab/graph/tflite"
)

// window is a sliding window over an image.
type window struct {
	h, w     int
	down     int // stride of rows
	across   int // stride of columns
	dilation int // 0 counts as 1
	padding  tflite.Padding
	act      tflite.Activation
}

// win is a square window with the padding that keeps the size.
func win(k, stride int, act tflite.Activation) window {
	return window{h: k, w: k, down: stride, across: stride, act: act}
}

// outSize returns the windows along an edge of the image.
func (w window) outSize(in, k, stride int) int {
	if w.padding == tflite.Same {
		return (in + stride - 1) / stride
	}
	return (in - (k-1)*max(w.dilation, 1) - 1 + stride) / stride
}

// size returns the height and width of what the window makes of an image.
func (w window) size(v value) (int, int) {
	return w.outSize(v.height(), w.h, w.down), w.outSize(v.width(), w.w, w.across)
}

// taps returns how many taps of the window are within the image, on average
// over all its places.
func (w window) taps(v value) float64 {
	return w.edgeTaps(v.height(), w.h, w.down) * w.edgeTaps(v.width(), w.w, w.across)
}

func (w window) edgeTaps(in, k, stride int) float64 {
	out, dilation := w.outSize(in, k, stride), max(w.dilation, 1)
	before := 0
	if w.padding == tflite.Same {
		before = max((out-1)*stride+(k-1)*dilation+1-in, 0) / 2
	}
	hits := 0
	for o := range out {
		for t := range k {
			if x := o*stride + t*dilation - before; x >= 0 && x < in {
				hits++
			}
		}
	}
	return float64(hits) / float64(max(out, 1))
}

// over is the size for a layer: a window that does not fit is an error.
func (n *net) over(v value, w window) (int, int) {
	h, width := w.size(v)
	if h < 1 || width < 1 {
		n.fail("window of %dx%d does not fit an image of %dx%d", w.h, w.w, v.height(), v.width())
		return 1, 1
	}
	return h, width
}

// conv adds a convolution with bias.
func (n *net) conv(in value, channels int, w window) value {
	h, width := n.over(in, w)
	taps := w.taps(in) * float64(in.channels())
	filter, bias := n.linear(in, []int{channels, w.h, w.w, in.channels()}, 0, taps, 1)
	out := n.tensor("conv", in.spatial(h, width, channels), linearSignal.activated(w.act))
	n.op(tflite.OpConv2D, tflite.Conv2DOptions{Padding: w.padding, StrideW: int32(w.across), StrideH: int32(w.down),
		Activation: w.act, DilationW: int32(w.dilation), DilationH: int32(w.dilation)}, []int{in.id, filter, bias}, out)
	return out
}

// depthwise adds a convolution of every channel by itself.
func (n *net) depthwise(in value, w window) value {
	h, width := n.over(in, w)
	filter, bias := n.linear(in, []int{1, w.h, w.w, in.channels()}, 3, w.taps(in), 1)
	out := n.tensor("depthwise", in.spatial(h, width, in.channels()), linearSignal.activated(w.act))
	n.op(tflite.OpDepthwiseConv2D, tflite.DepthwiseConv2DOptions{Padding: w.padding, StrideW: int32(w.across),
		StrideH: int32(w.down), DepthMultiplier: 1, Activation: w.act, DilationW: int32(w.dilation),
		DilationH: int32(w.dilation)}, []int{in.id, filter, bias}, out)
	return out
}

// dense adds a fully connected layer on the last dimension, keeping the others
// or, for an image, flattening it first. gain is the deviation of its output.
func (n *net) dense(in value, units int, act tflite.Activation, gain float64) value {
	keep := len(in.shape) == 3
	fan, shape := in.elements()/in.batch(), []int{in.batch(), units}
	if keep {
		fan, shape = in.channels(), []int{in.batch(), in.shape[1], units}
	}
	filter, bias := n.linear(in, []int{units, fan}, 0, float64(fan), gain)
	out := n.tensor("dense", shape, signal{dev: gain}.activated(act))
	n.op(tflite.OpFullyConnected, tflite.FullyConnectedOptions{Activation: act, KeepNumDims: keep},
		[]int{in.id, filter, bias}, out)
	return out
}

// avgPool adds an average over windows.
func (n *net) avgPool(in value, w window) value {
	s := in.signal
	s.dev = coarse(s.dev * 0.7) // neighbours are alike, so that averaging takes little away
	return n.pool(tflite.OpAveragePool2D, "avgpool", in, w, s)
}

// maxPool adds a maximum over windows.
func (n *net) maxPool(in value, w window) value {
	s := in.signal
	s.mean, s.dev = coarse(s.mean+0.8*s.dev), coarse(s.dev*0.8)
	return n.pool(tflite.OpMaxPool2D, "maxpool", in, w, s)
}

func (n *net) pool(code int32, name string, in value, w window, s signal) value {
	h, width := n.over(in, w)
	out := n.ranged(name, in.spatial(h, width, in.channels()), s, in.quant)
	n.op(code, tflite.Pool2DOptions{Padding: w.padding, StrideW: int32(w.across), StrideH: int32(w.down),
		FilterW: int32(w.w), FilterH: int32(w.h)}, []int{in.id}, out)
	return out
}

// globalPool adds an average over the whole image, which stays an image of one
// pixel.
func (n *net) globalPool(in value) value {
	return n.avgPool(in, window{h: in.height(), w: in.width(), down: 1, across: 1, padding: tflite.Valid})
}

// mean adds an average over height and width, giving [batch, channels].
func (n *net) mean(in value) value {
	axes := n.ints("axes", 1, 2)
	out := n.ranged("mean", []int{in.batch(), in.channels()}, in.signal, in.quant)
	n.op(tflite.OpMean, tflite.ReducerOptions{}, []int{in.id, axes}, out)
	return out
}

// logitGain is the deviation of the numbers that a softmax or a sigmoid reads:
// far from uniform, far from one-hot.
const logitGain = 1.5

// classify adds the usual end of an image classifier.
func (n *net) classify(in value, classes int) {
	n.within("head", func() {
		n.output(n.softmax(n.dense(n.mean(in), classes, tflite.NoActivation, logitGain)))
	})
}

// softmax adds a softmax over the last dimension.
func (n *net) softmax(in value) value {
	out := n.ranged("softmax", in.shape, signal{0.1, 0.1, true}, quant{1.0 / 256, -128})
	n.op(tflite.OpSoftmax, tflite.SoftmaxOptions{Beta: 1}, []int{in.id}, out)
	return out
}

// sigmoid adds a logistic function.
func (n *net) sigmoid(in value) value {
	out := n.ranged("logistic", in.shape, signal{0.5, 0.25, true}, quant{1.0 / 256, -128})
	n.op(tflite.OpLogistic, nil, []int{in.id}, out)
	return out
}

// relu adds a rectifier of its own.
func (n *net) relu(in value) value {
	out := n.tensor("relu", in.shape, in.signal.rectified())
	n.op(tflite.OpRelu, nil, []int{in.id}, out)
	return out
}
