package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Images of another size: R/resize_bilinear.h, R/resize_nearest_neighbor.h of
// google-ai-edge/LiteRT at f67457790c9c.

func resizeFamily() map[string]prepare {
	return map[string]prepare{
		"RESIZE_BILINEAR":         prepareBilinear,
		"RESIZE_NEAREST_NEIGHBOR": prepareNearest,
	}
}

// resized returns operand and result, and checks that the size asked for, if it
// is known, is the planned one.
func resized(n *Node) (in, out, size *Tensor, err error) {
	if in, out, _, err = alike(n); err != nil {
		return
	}
	if size, err = n.in(1); err != nil {
		return
	}
	if err = image(in, out); err == nil {
		err = indices(size, 2)
	}
	if err == nil {
		err = working(out.Shape...)
	}
	if err == nil && max(in.Shape[1], in.Shape[2]) > 1<<20 { // more do not fit in fixed point
		err = unsupported("image of shape %v", in.Shape)
	}
	if err == nil && (in.Shape[0] != out.Shape[0] || in.Shape[3] != out.Shape[3] || in.Elements() == 0 || out.Elements() == 0) {
		err = invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	return
}

func sizePlanned(size, out *Tensor, data []byte) error {
	return dynamic(integer(size.Type, data, 0) != int64(out.Shape[1]) || integer(size.Type, data, 1) != int64(out.Shape[2]))
}

func prepareNearest(n *Node) (Kernel, error) {
	in, out, size, err := resized(n)
	if err != nil {
		return nil, err
	}
	m, err := newMoves(out.Type, out.Shape)
	if err != nil {
		return nil, err
	}
	corners, half := n.Op.Attributes.Bool(0, false), n.Op.Attributes.Bool(1, false)
	step := strides(in.Shape)
	steps(m.tables[0], step[0])
	steps(m.tables[3], 1)
	for d := 1; d <= 2; d++ {
		for i := range m.tables[d] {
			m.tables[d][i] = nearest(i, in.Shape[d], out.Shape[d], corners, half) * step[d]
		}
	}
	return newMover(n, m, func(data [][]byte) error { return sizePlanned(size, out, data[1]) })
}

// nearest returns which of in pixels is taken for pixel i of out.
func nearest(i, in, out int, corners, half bool) int {
	scale := float32(in) / float32(out)
	if corners && out > 1 {
		scale = float32(in-1) / float32(out-1)
	}
	offset := float32(0)
	if half {
		offset = 0.5
	}
	at := float64(float32(float32(i)+offset) * scale)
	pixel := int(math.Floor(at))
	if corners {
		pixel = int(math.Round(at))
	}
	pixel = min(pixel, in-1)
	if half {
		pixel = max(pixel, 0)
	}
	return pixel
}

// bilinear mixes the four pixels around each place.
type bilinear struct {
	in, out  *Tensor
	size     *Tensor
	single   bool
	rows     []place
	columns  []place
	from, to []byte
}

// place is between two pixels: as fractions of 1 for floats, of 1024 for
// integers.
type place struct {
	low, high int
	part      float32 // of the upper pixel
	whole     int32   // the same for integers, from the lower pixel on
	single    float32 // where XNNPACK sees it
}

func places(in, out int, corners, half bool) []place {
	list := make([]place, out)
	scale := float32(in) / float32(out)
	fixed := int32((1024*in + out/2) / out)
	if corners && out > 1 {
		scale = float32(in-1) / float32(out-1)
		fixed = int32((1024*(in-1) + (out-1)/2) / (out - 1))
	}
	for i := range list {
		at := float32(i) * scale
		single := at
		whole := int32(i) * fixed
		if half {
			at = float32(float32(float32(i)+0.5)*scale) - 0.5
			single += float32(0.5*scale) - 0.5
			whole += fixed/2 - 512
		}
		p := &list[i]
		p.low = max(int(math.Floor(float64(at))), 0)
		p.high = min(int(math.Ceil(float64(at))), in-1)
		p.part = at - float32(p.low)
		p.whole, p.single = whole, single
	}
	return list
}

// fixedPixels are those of integers.
func (p *place) fixedPixels(in int) (low, high int) {
	return max(int(p.whole/1024), 0), min(int((p.whole+1023)/1024), in-1)
}

func prepareBilinear(n *Node) (Kernel, error) {
	in, out, size, err := resized(n)
	if err != nil {
		return nil, err
	}
	corners, half := n.Op.Attributes.Bool(2, false), n.Op.Attributes.Bool(3, false)
	if corners && half {
		return nil, invalid("corners aligned and centers of half pixels")
	}
	k := &bilinear{
		in: in, out: out, size: size, single: n.Arithmetic == Single,
		rows: places(in.Shape[1], out.Shape[1], corners, half), columns: places(in.Shape[2], out.Shape[2], corners, half),
	}
	if size.Constant != nil {
		if err := sizePlanned(size, out, size.Constant); err != nil {
			return nil, err
		}
	}
	switch in.Type {
	case graph.Float32, graph.Int8, graph.Uint8, graph.Int16:
		return k, nil
	}
	return nil, unsupported("image of %v", in.Type)
}

// Run mixes.
func (k *bilinear) Run(c *Call) error {
	if err := sizePlanned(k.size, k.out, c.In[1]); err != nil {
		return err
	}
	k.from, k.to = c.In[0], c.Out[0]
	c.Pool.Do(k, k.out.Shape[0]*k.out.Shape[1], 8*k.out.Shape[2]*k.out.Shape[3])
	return nil
}

// Range computes rows of the result.
func (k *bilinear) Range(low, high int) {
	for row := low; row < high; row++ {
		switch {
		case k.single && k.in.Type == graph.Float32:
			k.blendRow(row)
		case k.single && k.in.Type == graph.Int8:
			blendBytes[int8](k, row)
		case k.single && k.in.Type == graph.Uint8:
			blendBytes[uint8](k, row)
		case k.in.Type == graph.Float32:
			k.floatRow(row)
		case k.in.Type == graph.Int8:
			mixRow[int8](k, row)
		case k.in.Type == graph.Uint8:
			k.byteRow(row)
		case k.in.Type == graph.Int16:
			mixRow[int16](k, row)
		}
	}
}

// floatRow mixes a row of floats, in the order of the reference.
func (k *bilinear) floatRow(row int) {
	in, out := view[float32](k.from), view[float32](k.to)
	channels := k.in.Shape[3]
	b, y := row/k.out.Shape[1], &k.rows[row%k.out.Shape[1]]
	lower := in[(b*k.in.Shape[1]+y.low)*k.in.Shape[2]*channels:]
	upper := in[(b*k.in.Shape[1]+y.high)*k.in.Shape[2]*channels:]
	out = out[row*k.out.Shape[2]*channels:]
	for x := range k.columns {
		p := &k.columns[x]
		for i := range channels {
			out[i] = mix(lower[p.low*channels+i], upper[p.low*channels+i], lower[p.high*channels+i], upper[p.high*channels+i], y.part, p.part)
		}
		out = out[channels:]
	}
}

// mix weighs four pixels, in the order of the reference: the second lies below
// the first, the third to its right.
func mix(a, b, c, d, y, x float32) float32 {
	return float32(float32(float32(float32(a*(1-y))*(1-x))+float32(float32(b*y)*(1-x)))+float32(float32(c*(1-y))*x)) + float32(float32(d*y)*x)
}

// byteRow mixes a row of unsigned bytes, which the reference does in floats.
func (k *bilinear) byteRow(row int) {
	channels := k.in.Shape[3]
	b, y := row/k.out.Shape[1], &k.rows[row%k.out.Shape[1]]
	lower := k.from[(b*k.in.Shape[1]+y.low)*k.in.Shape[2]*channels:]
	upper := k.from[(b*k.in.Shape[1]+y.high)*k.in.Shape[2]*channels:]
	out := k.to[row*k.out.Shape[2]*channels:]
	for x := range k.columns {
		p := &k.columns[x]
		for i := range channels {
			sum := mix(float32(lower[p.low*channels+i]), float32(upper[p.low*channels+i]),
				float32(lower[p.high*channels+i]), float32(upper[p.high*channels+i]), y.part, p.part)
			out[i] = byte(sum + 0.5)
		}
		out = out[channels:]
	}
}

// mixRow mixes a row of integers in fixed point.
func mixRow[T int8 | int16](k *bilinear, row int) {
	in, out := view[T](k.from), view[T](k.to)
	channels := k.in.Shape[3]
	b, y := row/k.out.Shape[1], &k.rows[row%k.out.Shape[1]]
	y0, y1 := y.fixedPixels(k.in.Shape[1])
	lower := in[(b*k.in.Shape[1]+y0)*k.in.Shape[2]*channels:]
	upper := in[(b*k.in.Shape[1]+y1)*k.in.Shape[2]*channels:]
	out = out[row*k.out.Shape[2]*channels:]
	dy := int64(y.whole) - 1024*int64(y0)
	for x := range k.columns {
		p := &k.columns[x]
		x0, x1 := p.fixedPixels(k.in.Shape[2])
		dx := int64(p.whole) - 1024*int64(x0)
		for i := range channels {
			sum := int64(lower[x0*channels+i])*(1024-dy)*(1024-dx) + int64(upper[x0*channels+i])*dy*(1024-dx) +
				int64(lower[x1*channels+i])*(1024-dy)*dx + int64(upper[x1*channels+i])*dy*dx
			half := int64(1 << 19)
			if sum < 0 {
				half = -half
			}
			out[i] = T((sum + half) / (1 << 20))
		}
		out = out[channels:]
	}
}
