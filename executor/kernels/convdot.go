package kernels

import "sync"

// Sums of products. Inputs of two or three positions are packed into one int64,
// lane by lane, so that one multiplication by a weight serves all of them: the
// low bits of the sum are the first's, the next ones the second's with what the
// first borrowed, and so on. That is exact as long as the sum of each lane fits
// it, so after so many products sums are taken apart and added up in int64.

// tileRows is how many rows of packed inputs are multiplied at once.
const tileRows = 2

// maxLanes is how many positions one int64 holds at most.
const maxLanes = 3

// packing says how positions share an int64.
type packing struct {
	lanes int
	bits  uint // of a lane
	chunk int  // products until sums are taken apart
}

// newPacking chooses a packing of so many positions, for inputs and weights of
// these magnitudes.
func newPacking(positions int, input, weight int64) packing {
	const least = 24 // products that make taking apart worth it
	three, two := (1<<20-1)/(input*weight), (1<<31-1)/(input*weight)
	switch {
	case positions > 1 && three >= least:
		return packing{3, 21, int(three)}
	case positions > 1 && two >= least:
		return packing{2, 32, int(two)}
	}
	return packing{1, 0, 1 << 30}
}

// rows returns how many packed rows hold so many positions.
func (p *packing) rows(positions int) int { return (positions + p.lanes - 1) / p.lanes }

// tile returns how many positions are computed at once.
func (p *packing) tile() int { return tileRows * p.lanes }

// pack writes the inputs of position i, less the zero point, into their lane of
// a row. The first lane overwrites the row, the others add to it.
func pack[T int8 | uint8 | int16](p *packing, i int, row []int64, x []T, zero int64) {
	row = row[:len(x)]
	shift := p.bits * uint(i%p.lanes)
	if shift == 0 {
		for i, v := range x {
			row[i] = int64(v) - zero
		}
		return
	}
	for i, v := range x {
		row[i] += (int64(v) - zero) << (shift & 63)
	}
}

// dotTile computes the products of two rows of packed inputs with the weights
// of consecutive channels, one after the other in w: sums[i*stride+c] for
// position i and channel c. The second row may be nil.
func dotTile[W int8 | int16](p *packing, x0, x1 []int64, w []W, sums []int64, stride, channels int) {
	k := len(x0)
	if x1 == nil {
		for c := 0; c < channels; c += 4 {
			var t [4 * maxLanes]int64
			at := [4]int{c, min(c+1, channels-1), min(c+2, channels-1), min(c+3, channels-1)}
			dotRow(p, &t, x0, w[at[0]*k:][:k], w[at[1]*k:][:k], w[at[2]*k:][:k], w[at[3]*k:][:k])
			for i := range p.lanes {
				s := sums[i*stride:][:channels]
				for j, c := range at {
					s[c] = t[j*maxLanes+i]
				}
			}
		}
		return
	}
	for c := 0; c < channels; c += 2 {
		var t [4 * maxLanes]int64
		d := min(c+1, channels-1)
		dotPair(p, &t, x0, x1, w[c*k:][:k], w[d*k:][:k])
		for i := range p.lanes {
			s := sums[i*stride:][:channels]
			s[c], s[d] = t[i], t[maxLanes+i]
			s = sums[(p.lanes+i)*stride:][:channels]
			s[c], s[d] = t[2*maxLanes+i], t[3*maxLanes+i]
		}
	}
}

// dotPair adds the products of two rows and two filters to the lanes of sums:
// first row and first filter, first and second, second and first, second and
// second.
func dotPair[W int8 | int16](p *packing, t *[4 * maxLanes]int64, x0, x1 []int64, w0, w1 []W) {
	for len(x0) > 0 {
		n := min(p.chunk, len(x0))
		s0, s1, s2, s3 := dot2x2(x0[:n], x1[:n], w0[:n], w1[:n])
		p.takeApart(t, s0, s1, s2, s3)
		x0, x1, w0, w1 = x0[n:], x1[n:], w0[n:], w1[n:]
	}
}

// dotRow adds the products of a row and four filters to the lanes of sums.
func dotRow[W int8 | int16](p *packing, t *[4 * maxLanes]int64, x []int64, w0, w1, w2, w3 []W) {
	for len(x) > 0 {
		n := min(p.chunk, len(x))
		s0, s1, s2, s3 := dot1x4(x[:n], w0[:n], w1[:n], w2[:n], w3[:n])
		p.takeApart(t, s0, s1, s2, s3)
		x, w0, w1, w2, w3 = x[n:], w0[n:], w1[n:], w2[n:], w3[n:]
	}
}

// dot2x2 returns the products of two rows and two filters. It is a function of
// its own so that the compiler keeps what the loop needs in registers.
//
//go:noinline
func dot2x2[W int8 | int16](x0, x1 []int64, w0, w1 []W) (s0, s1, s2, s3 int64) {
	x1, w0, w1 = x1[:len(x0)], w0[:len(x0)], w1[:len(x0)]
	for i, x := range x0 {
		y, f, g := x1[i], int64(w0[i]), int64(w1[i])
		s0 += x * f
		s1 += x * g
		s2 += y * f
		s3 += y * g
	}
	return s0, s1, s2, s3
}

// dot1x4 returns the products of a row and four filters.
//
//go:noinline
func dot1x4[W int8 | int16](x []int64, w0, w1, w2, w3 []W) (s0, s1, s2, s3 int64) {
	w0, w1, w2, w3 = w0[:len(x)], w1[:len(x)], w2[:len(x)], w3[:len(x)]
	for i, v := range x {
		s0 += v * int64(w0[i])
		s1 += v * int64(w1[i])
		s2 += v * int64(w2[i])
		s3 += v * int64(w3[i])
	}
	return s0, s1, s2, s3
}

// takeApart adds the lanes of four sums to those of t.
func (p *packing) takeApart(t *[4 * maxLanes]int64, s0, s1, s2, s3 int64) {
	switch p.lanes {
	case 3:
		add3(t[0:3], s0)
		add3(t[3:6], s1)
		add3(t[6:9], s2)
		add3(t[9:12], s3)
	case 2:
		add2(t[0:3], s0)
		add2(t[3:6], s1)
		add2(t[6:9], s2)
		add2(t[9:12], s3)
	default:
		t[0], t[3], t[6], t[9] = t[0]+s0, t[3]+s1, t[6]+s2, t[9]+s3
	}
}

// add3 adds three lanes of 21 bits.
func add3(t []int64, s int64) {
	first := s << 43 >> 43
	s = (s - first) >> 21
	second := s << 43 >> 43
	t[0], t[1], t[2] = t[0]+first, t[1]+second, t[2]+(s-second)>>21
}

// add2 adds two lanes of 32 bits.
func add2(t []int64, s int64) {
	first := int64(int32(s))
	t[0], t[1] = t[0]+first, t[1]+(s-first)>>32
}

// dotFloatTile multiplies four rows of inputs, of k elements each and one after
// the other, with the filters of consecutive channels: sums[p*stride+c]. Each
// sum is added up in the order of the elements.
func dotFloatTile(x []float32, k int, w []float32, sums []float32, stride, channels int) {
	x0, x1, x2, x3 := x[:k], x[k:2*k], x[2*k:3*k], x[3*k:4*k]
	c := 0
	for ; c+2 <= channels; c += 2 {
		dotFloat8(x0, x1, x2, x3, w[c*k:c*k+k], w[(c+1)*k:(c+1)*k+k], sums[c:], stride)
	}
	if c < channels {
		for p := range 4 {
			sums[p*stride+c] = dotFloat(x[p*k:(p+1)*k], w[c*k:c*k+k])
		}
	}
}

// dotFloat8 writes the products of four rows and two filters.
func dotFloat8(x0, x1, x2, x3, w0, w1, sums []float32, stride int) {
	x1, x2, x3, w0, w1 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)], w0[:len(x0)], w1[:len(x0)]
	var a0, a1, a2, a3, b0, b1, b2, b3 float32
	for i, x := range x0 {
		v, w := w0[i], w1[i]
		a0 += float32(x * v)
		b0 += float32(x * w)
		y := x1[i]
		a1 += float32(y * v)
		b1 += float32(y * w)
		y = x2[i]
		a2 += float32(y * v)
		b2 += float32(y * w)
		y = x3[i]
		a3 += float32(y * v)
		b3 += float32(y * w)
	}
	sums[0], sums[1] = a0, b0
	sums[stride], sums[stride+1] = a1, b1
	sums[2*stride], sums[2*stride+1] = a2, b2
	sums[3*stride], sums[3*stride+1] = a3, b3
}

// dotFloat returns the product of a row and a filter.
func dotFloat(x, w []float32) float32 {
	w = w[:len(x)]
	var a float32
	for i, v := range x {
		a += float32(v * w[i])
	}
	return a
}

// dotFloatRow multiplies one row with the filters of consecutive channels.
func dotFloatRow(x, w, sums []float32) {
	k, c := len(x), 0
	for ; c+4 <= len(sums); c += 4 {
		w0, w1, w2, w3 := w[c*k:][:k], w[(c+1)*k:][:k], w[(c+2)*k:][:k], w[(c+3)*k:][:k]
		var a0, a1, a2, a3 float32
		for i, v := range x {
			a0 += float32(v * w0[i])
			a1 += float32(v * w1[i])
			a2 += float32(v * w2[i])
			a3 += float32(v * w3[i])
		}
		sums[c], sums[c+1], sums[c+2], sums[c+3] = a0, a1, a2, a3
	}
	for ; c < len(sums); c++ {
		sums[c] = dotFloat(x, w[c*k:][:k])
	}
}

// workspaces lends working memory to the ranges of a task that run at the same
// time. It allocates only when more of them run than ever before.
type workspaces[E int64 | float32] struct {
	size int
	lock sync.Mutex
	made int
	free [][]E
}

// reserve makes sure that so many ranges can run at once.
func (w *workspaces[E]) reserve(workers int) {
	for w.made < workers {
		w.free = append(w.free, make([]E, w.size))
		w.made++
	}
}

func (w *workspaces[E]) take() []E {
	w.lock.Lock()
	defer w.lock.Unlock()
	last := len(w.free) - 1
	m := w.free[last]
	w.free = w.free[:last]
	return m
}

func (w *workspaces[E]) give(m []E) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.free = append(w.free, m)
}
