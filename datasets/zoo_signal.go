package datasets

import (
	"math"

	"github.com/arenalab/arenalab/graph/tflite"
)

// signal is what is expected of the numbers in a tensor. It stands in for the
// batch normalisation of trained networks: weights are scaled so that every
// linear layer gives mean 0 and deviation 1 whatever it reads, which keeps deep
// random networks from dying out, and int8 ranges are taken from it.
type signal struct {
	mean, dev float64
	positive  bool // never below 0
}

var (
	inputSignal  = signal{dev: 0.577} // uniform on [-1, 1)
	linearSignal = signal{dev: 1}
)

// power is the mean square.
func (s signal) power() float64 { return square(s.mean) + square(s.dev) }

// square is a multiplication that no compiler may fuse with an addition: the
// weights must not depend on the processor.
func square(x float64) float64 { return float64(x * x) }

// coarse rounds away what differs between implementations of math.Exp.
func coarse(x float64) float64 { return math.Round(x*1024) / 1024 }

// rectified is the signal after max(0, x), taken as normal before.
func (s signal) rectified() signal {
	if s.positive {
		return s
	}
	a := s.mean / s.dev
	density := math.Exp(-a*a/2) / math.Sqrt(2*math.Pi)
	below := math.Erfc(a/math.Sqrt2) / 2
	mean := s.mean*(1-below) + s.dev*density
	power := s.power()*(1-below) + s.mean*s.dev*density
	return signal{coarse(mean), coarse(math.Sqrt(max(power-mean*mean, 1e-4))), true}
}

func (s signal) activated(a tflite.Activation) signal {
	if a == tflite.Relu || a == tflite.Relu6 {
		return s.rectified()
	}
	return s
}

// plus is the sum of two signals, taken as independent.
func (s signal) plus(t signal) signal {
	return signal{s.mean + t.mean, coarse(math.Sqrt(square(s.dev) + square(t.dev))), s.positive && t.positive}
}

// times is the signal multiplied by a constant of that size.
func (s signal) times(factor float64) signal {
	return signal{coarse(s.mean * factor), coarse(s.dev * factor), s.positive}
}

// joined is a concatenation of the signals.
func joined(list []value) signal {
	out := signal{positive: true}
	var mean, power, n float64
	for _, v := range list {
		c := float64(v.channels())
		mean += float64(c * v.signal.mean)
		power += float64(c * v.signal.power())
		n += c
		out.positive = out.positive && v.signal.positive
	}
	out.mean = coarse(mean / n)
	out.dev = coarse(math.Sqrt(max(power/n-square(out.mean), 1e-4)))
	return out
}

// quant is how int8 numbers stand for reals: scale*(q-zero).
type quant struct {
	scale float32
	zero  int
}

// Ranges reach that many deviations to either side of the mean.
const reach = 4

// quant returns a range that holds nearly all of the signal.
func (s signal) quant() quant {
	return gridQuant(math.Abs(s.mean)+reach*s.dev, s.positive)
}

// gridQuant returns a range up to top, rounded up to a power of the square root
// of two: so like tensors share a range and need no requantisation when they
// meet in a concatenation.
func gridQuant(top float64, positive bool) quant {
	half := int(math.Ceil(2*math.Log2(top) - 1e-3))
	span := math.Ldexp(1, half>>1)
	if half&1 != 0 {
		span *= math.Sqrt2
	}
	if positive {
		return quant{float32(span / 255), -128}
	}
	return quant{float32(span / 127), 0}
}

// covering returns a range that holds those of all values.
func covering(list []value) quant {
	top, positive, same := 0.0, true, true
	for _, v := range list {
		top = max(top, float64(v.quant.scale)*float64(127-v.quant.zero))
		positive = positive && v.quant.zero == -128
		same = same && v.quant == list[0].quant
	}
	if same {
		return list[0].quant
	}
	return gridQuant(top, positive)
}

func (q quant) tensor() *tflite.Quant {
	return &tflite.Quant{Scale: []float32{q.scale}, ZeroPoint: []int64{int64(q.zero)}}
}
