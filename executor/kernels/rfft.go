package kernels

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/arenalab/arenalab/graph"
)

// Fourier transforms of real images and what is made of complex numbers:
// K/rfft2d.cc and K/complex_support.cc of google-ai-edge/LiteRT at
// f67457790c9c. Transforms are computed in float64 and rounded; the runtime's
// library goes another way, so that what cancels out may differ.

func fourierFamily() map[string]prepare {
	return map[string]prepare{
		"COMPLEX_ABS": func(n *Node) (Kernel, error) { return prepareComplex(n, complexAbs) },
		"IMAG":        func(n *Node) (Kernel, error) { return prepareComplex(n, complexImag) },
		"REAL":        func(n *Node) (Kernel, error) { return prepareComplex(n, complexReal) },
		"RFFT2D":      prepareRFFT,
	}
}

type complexPart uint8

const (
	complexReal complexPart = iota
	complexImag
	complexAbs
)

// Run takes parts of complex numbers, which lie as pairs of floats.
func (part complexPart) Run(c *Call) error {
	in, out := view[float32](c.In[0]), view[float32](c.Out[0])
	switch part {
	case complexAbs:
		for i := range out {
			out[i] = float32(math.Hypot(float64(in[2*i]), float64(in[2*i+1])))
		}
	default:
		for i := range out {
			out[i] = in[2*i+int(part)]
		}
	}
	return nil
}

func prepareComplex(n *Node, part complexPart) (Kernel, error) {
	in, out, err := newSame(n)
	if err != nil {
		return nil, err
	}
	if in.Type != graph.Complex64 || out.Type != graph.Float32 {
		return nil, unsupported("%v becomes %v", in.Type, out.Type)
	}
	return part, nil
}

// rfft transforms images, cut or padded with zeros to a power of two.
type rfft struct {
	images, inHeight, inWidth int
	height, width             int
	turns                     []complex128 // of the longer side
	image                     []complex128
	column                    []complex128
	nothing                   float32 // -0, as the runtime has it
}

func prepareRFFT(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	size, err := n.in(1)
	if err != nil {
		return nil, err
	}
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	if rank < 2 || len(out.Shape) != rank || in.Type != graph.Float32 || out.Type != graph.Complex64 || size.Type != graph.Int32 || size.Elements() != 2 {
		return nil, invalid("%v of shape %v becomes %v of shape %v", in.Type, in.Shape, out.Type, out.Shape)
	}
	k := &rfft{images: elementsOf(in.Shape[:rank-2]), inHeight: in.Shape[rank-2], inWidth: in.Shape[rank-1]}
	k.height, k.width = out.Shape[rank-2], 2*(out.Shape[rank-1]-1)
	if k.height < 1 || k.width < 2 || bits.OnesCount(uint(k.height)) != 1 || bits.OnesCount(uint(k.width)) != 1 {
		return nil, unsupported("transform of %d by %d numbers", k.height, k.width)
	}
	if err := convResult(out, append(append([]int(nil), in.Shape[:rank-2]...), out.Shape[rank-2:]...)...); err != nil {
		return nil, err
	}
	if size.Constant != nil && !k.planned(size.Constant) {
		return nil, invalid("result of shape %v", out.Shape)
	}
	long := max(k.height, k.width)
	if err := working(k.height*k.width, long); err != nil {
		return nil, err
	}
	k.nothing = float32(math.Copysign(0, -1))
	k.turns, k.image, k.column = make([]complex128, long/2+1), make([]complex128, k.height*k.width), make([]complex128, k.height)
	for i := range k.turns {
		k.turns[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(long))
	}
	return k, nil
}

func (k *rfft) planned(size []byte) bool {
	return binary.LittleEndian.Uint32(size) == uint32(k.height) && binary.LittleEndian.Uint32(size[4:]) == uint32(k.width)
}

// Run transforms rows and then the columns that are not mirrored.
func (k *rfft) Run(c *Call) error {
	if !k.planned(c.In[1]) {
		return ErrDynamic
	}
	in, out := view[float32](c.In[0]), view[float32](c.Out[0])
	for range k.images {
		clear(k.image)
		for y := range min(k.inHeight, k.height) {
			row := k.image[y*k.width:][:k.width]
			for x := range min(k.inWidth, k.width) {
				row[x] = complex(float64(in[y*k.inWidth+x]), 0)
			}
			k.transform(row)
		}
		for x := range k.width/2 + 1 {
			for y := range k.height {
				k.column[y] = k.image[y*k.width+x]
			}
			k.transform(k.column)
			for y, v := range k.column {
				at := 2 * (y*(k.width/2+1) + x)
				out[at], out[at+1] = float32(real(v)), float32(imag(v))
				if x%(k.width/2) == 0 && y%max(k.height/2, 1) == 0 { // its own mirror image
					out[at+1] = k.nothing
				}
			}
		}
		in, out = in[k.inHeight*k.inWidth:], out[2*k.height*(k.width/2+1):]
	}
	return nil
}

// transform is the transform of a power of two of numbers, in place (Cooley and
// Tukey, 1965).
func (k *rfft) transform(x []complex128) {
	n := len(x)
	shift := 65 - bits.Len(uint(n))
	for i := 1; i < n; i++ {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
	long := max(k.height, k.width)
	for half := 1; half < n; half *= 2 {
		step := long / (2 * half)
		for from := 0; from < n; from += 2 * half {
			low, high := x[from:from+half], x[from+half:from+2*half]
			for i, a := range low {
				b := high[i] * k.turns[i*step]
				low[i], high[i] = a+b, a-b
			}
		}
	}
}
