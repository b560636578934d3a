package kernels

import "sync"

// Sums of products. Inputs of two positions are packed into one int64, the
// first in the low half, so that one multiplication by a weight serves both:
// the low half of the sum is the first's, the rest the second's with what the
// first borrowed. That is exact as long as the sum of one position fits int32;
// where it may not, every position has an int64 of its own.

// tileRows is how many rows of packed inputs are multiplied at once.
const tileRows = 2

// lanesFor returns how many positions fit one int64: 2 if the sum of so many
// products fits int32.
func lanesFor(count int, input, weight int64) int {
	if input*weight <= (1<<31-1)/int64(max(count, 1)) {
		return 2
	}
	return 1
}

// dotTile computes the products of two rows of inputs with the weights of
// consecutive channels, one after the other in w: sums[c] of the first row,
// sums[stride+c] of the second.
func dotTile[W int8 | int16](x0, x1 []int64, w []W, sums []int64, stride, channels int) {
	k := len(x0)
	c := 0
	for ; c+2 <= channels; c += 2 {
		a00, a01, a10, a11 := dot4(x0, x1, w[c*k:c*k+k], w[(c+1)*k:(c+1)*k+k])
		sums[c], sums[c+1], sums[stride+c], sums[stride+c+1] = a00, a01, a10, a11
	}
	if c < channels {
		a, _, b, _ := dot4(x0, x1, w[c*k:c*k+k], w[c*k:c*k+k])
		sums[c], sums[stride+c] = a, b
	}
}

// dotRows is dotTile for two rows, or for one if the second is nil.
func dotRows[W int8 | int16](x0, x1 []int64, w []W, sums []int64, stride, channels int) {
	if x1 == nil {
		dotRow(x0, w, sums[:channels])
		return
	}
	dotTile(x0, x1, w, sums, stride, channels)
}

// dot4 returns the four products of two rows and two filters.
func dot4[W int8 | int16](x0, x1 []int64, w0, w1 []W) (a00, a01, a10, a11 int64) {
	x1, w0, w1 = x1[:len(x0)], w0[:len(x0)], w1[:len(x0)]
	for i, x := range x0 {
		y, v, w := x1[i], int64(w0[i]), int64(w1[i])
		a00 += x * v
		a01 += x * w
		a10 += y * v
		a11 += y * w
	}
	return a00, a01, a10, a11
}

// dotRow multiplies one row of inputs with the weights of consecutive channels.
func dotRow[W int8 | int16](x []int64, w []W, sums []int64) {
	k, c := len(x), 0
	for ; c+4 <= len(sums); c += 4 {
		w0, w1, w2, w3 := w[c*k:][:k], w[(c+1)*k:][:k], w[(c+2)*k:][:k], w[(c+3)*k:][:k]
		var a0, a1, a2, a3 int64
		for i, v := range x {
			a0 += v * int64(w0[i])
			a1 += v * int64(w1[i])
			a2 += v * int64(w2[i])
			a3 += v * int64(w3[i])
		}
		sums[c], sums[c+1], sums[c+2], sums[c+3] = a0, a1, a2, a3
	}
	for ; c < len(sums); c++ {
		u := w[c*k:][:k]
		var a int64
		for i, v := range x {
			a += v * int64(u[i])
		}
		sums[c] = a
	}
}

// unpack separates two lanes: sums become those of the first, and the second's
// are written.
func unpack(sums, second []int64) {
	second = second[:len(sums)]
	for i, s := range sums {
		first := int64(int32(s))
		sums[i], second[i] = first, (s-first)>>32
	}
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
