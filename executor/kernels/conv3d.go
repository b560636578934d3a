package kernels

import "github.com/arenalab/arenalab/graph"

// Convolutions over volumes, of float32: K/conv3d.cc and R/conv3d.h of
// google-ai-edge/LiteRT at f67457790c9c. The weights of all output channels lie
// side by side, so that a position adds up all of them at once, tap by tap and
// input channel by input channel.

func conv3DFamily() map[string]prepare {
	return map[string]prepare{"CONV_3D": prepareConv3D}
}

type conv3D struct {
	floatSums
	batch, channels, outputs int
	z, y, x                  convAxis
	in, w, out               []float32
}

func prepareConv3D(n *Node) (Kernel, error) {
	in, filter, bias, out, err := convOperands(n, 5)
	if err != nil {
		return nil, err
	}
	if in.Type != graph.Float32 || filter.Type != graph.Float32 || out.Type != graph.Float32 {
		return nil, unsupported("convolution of %v with %v", in.Type, filter.Type)
	}
	a, f := &n.Op.Attributes, filter.Shape
	k := &conv3D{batch: in.Shape[0], channels: in.Shape[4], outputs: f[4]}
	if k.z, err = newConvAxis(in.Shape[1], f[0], a.Int(1, 0), a.Int(5, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if k.y, err = newConvAxis(in.Shape[2], f[1], a.Int(3, 0), a.Int(7, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if k.x, err = newConvAxis(in.Shape[3], f[2], a.Int(2, 0), a.Int(6, 1), a.Byte(0, 0)); err != nil {
		return nil, err
	}
	if f[3] != k.channels || k.channels <= 0 || k.outputs <= 0 {
		return nil, invalid("filter of shape %v for %d channels", f, k.channels)
	}
	if err := convResult(out, k.batch, k.z.out, k.y.out, k.x.out, k.outputs); err != nil {
		return nil, err
	}
	k.floatSums, err = newFloatSums(bias, k.outputs, a.Byte(4, 0))
	return k, err
}

// Run computes the convolution.
func (k *conv3D) Run(c *Call) error {
	k.load(c)
	k.in, k.w, k.out = view[float32](c.In[0]), view[float32](c.In[1]), view[float32](c.Out[0])
	if len(k.out) > 0 {
		c.Pool.Do(k, k.batch*k.z.out*k.y.out, k.x.out*k.outputs*k.channels*k.z.filter*k.y.filter*k.x.filter)
	}
	return nil
}

// Range computes rows of the output.
func (k *conv3D) Range(low, high int) {
	volume := k.z.in * k.y.in * k.x.in * k.channels
	for row := low; row < high; row++ {
		oy, oz := row%k.y.out, row/k.y.out%k.z.out
		in := k.in[row/k.y.out/k.z.out*volume:][:volume]
		for ox := range k.x.out {
			out := k.out[(row*k.x.out+ox)*k.outputs:][:k.outputs]
			clear(out)
			k.position(in, oz, oy, ox, out)
			k.finish(out, 0, out)
		}
	}
}

// position adds up all channels of an output position.
func (k *conv3D) position(in []float32, oz, oy, ox int, sums []float32) {
	zLow, zHigh, z0 := k.z.taps(oz)
	yLow, yHigh, y0 := k.y.taps(oy)
	xLow, xHigh, x0 := k.x.taps(ox)
	for fz := zLow; fz < zHigh; fz++ {
		for fy := yLow; fy < yHigh; fy++ {
			for fx := xLow; fx < xHigh; fx++ {
				at := ((z0+fz*k.z.dilation)*k.y.in+y0+fy*k.y.dilation)*k.x.in + x0 + fx*k.x.dilation
				tap := (fz*k.y.filter+fy)*k.x.filter + fx
				addProducts(sums, in[at*k.channels:][:k.channels], k.w[tap*k.channels*k.outputs:])
			}
		}
	}
}

// addProducts adds every number of x times a row of weights.
func addProducts(sums, x, w []float32) {
	n, i := len(sums), 0
	for ; i+4 <= len(x); i += 4 {
		v0, v1, v2, v3 := x[i], x[i+1], x[i+2], x[i+3]
		w0, w1, w2, w3 := w[i*n:][:n], w[(i+1)*n:][:n], w[(i+2)*n:][:n], w[(i+3)*n:][:n]
		for c, s := range sums {
			s += float32(v0 * w0[c])
			s += float32(v1 * w1[c])
			s += float32(v2 * w2[c])
			s += float32(v3 * w3[c])
			sums[c] = s
		}
	}
	for ; i < len(x); i++ {
		v, u := x[i], w[i*n:][:n]
		for c := range sums {
			sums[c] += float32(v * u[c])
		}
	}
}
