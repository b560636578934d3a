package kernels

// convAxis says how a window slides along one dimension of an image, as
// K/padding.h has it: output position o meets inputs o*stride-pad+t*dilation
// for the taps t of the filter.
type convAxis struct {
	in, out, filter, stride, dilation, pad int
}

// paddingSame and paddingValid are the values of the schema's Padding.
const (
	paddingSame  = 0
	paddingValid = 1
)

// newConvAxis checks an axis and finds its padding and its number of outputs.
func newConvAxis(in, filter int, stride, dilation int32, padding int8) (convAxis, error) {
	a := convAxis{in: in, filter: filter, stride: int(stride), dilation: int(dilation)}
	switch {
	case in <= 0 || filter <= 0:
		return a, invalid("window of %d over %d elements", filter, in)
	case stride <= 0 || dilation <= 0:
		return a, invalid("stride %d and dilation %d", stride, dilation)
	}
	reach := (filter-1)*a.dilation + 1
	switch padding {
	case paddingSame:
		a.out = (in + a.stride - 1) / a.stride
	case paddingValid:
		a.out = (in + a.stride - reach) / a.stride
	default:
		return a, invalid("padding %d", padding)
	}
	if a.out < 0 {
		return a, invalid("window of %d over %d elements", reach, in)
	}
	a.pad = max((a.out-1)*a.stride+reach-in, 0) / 2
	return a, nil
}

// taps returns the first tap of an output position that lies inside the image,
// the one after the last, and where tap 0 lies.
func (a *convAxis) taps(o int) (low, high, origin int) {
	origin = o*a.stride - a.pad
	if origin < 0 {
		low = min((-origin+a.dilation-1)/a.dilation, a.filter)
	}
	high = min(a.filter, (a.in-origin+a.dilation-1)/a.dilation)
	return low, max(high, low), origin
}

// convShape is what convolutions over images [batch, y, x, channels] share.
type convShape struct {
	batch, channels, outputs int // channels of the input and of the output
	groups, depth            int // depth: channels of the input that one filter sees
	y, x                     convAxis
}

// taps returns the elements of one filter.
func (s *convShape) taps() int { return s.y.filter * s.x.filter * s.depth }

// rows returns the rows of the output, those of all images.
func (s *convShape) rows() int { return s.batch * s.y.out }

// check makes sure that the result has the shape that the window gives it.
func (s *convShape) check(out *Tensor) error {
	return convResult(out, s.batch, s.y.out, s.x.out, s.outputs)
}

// convResult makes sure that a result has the given shape.
func convResult(out *Tensor, shape ...int) error {
	if len(out.Shape) == len(shape) {
		same := true
		for i, d := range shape {
			same = same && out.Shape[i] == d
		}
		if same {
			return nil
		}
	}
	return invalid("result has shape %v, not %v", out.Shape, shape)
}

// convOperands returns input, filter and result, of so many dimensions, and
// the bias, which may be nil.
func convOperands(n *Node, rank int) (in, filter, bias, out *Tensor, err error) {
	if in, err = n.in(0); err != nil {
		return
	}
	if filter, err = n.in(1); err != nil {
		return
	}
	if out, err = n.out(0); err != nil {
		return
	}
	if len(in.Shape) != rank || len(filter.Shape) != rank {
		err = invalid("input of shape %v and filter of shape %v", in.Shape, filter.Shape)
	}
	return in, filter, n.optional(2), out, err
}
