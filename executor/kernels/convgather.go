package kernels

// gatherPacked writes what the filters of an output position see, less the zero
// point, into its lane of a row; it is position i of a tile. It lies group by
// group, then by tap, then by channel. Taps outside the image are zero. x starts
// at the image.
func gatherPacked[T int8 | uint8 | int16](s *convShape, x []T, zero int64, oy, ox int, row []int64, p *packing, i int) {
	yLow, yHigh, y0 := s.y.taps(oy)
	xLow, xHigh, x0 := s.x.taps(ox)
	if i%p.lanes == 0 && (yHigh-yLow < s.y.filter || xHigh-xLow < s.x.filter) {
		clear(row)
	}
	if xLow == xHigh {
		return
	}
	size := s.taps()
	for g := range s.groups {
		for fy := yLow; fy < yHigh; fy++ {
			line := x[(y0+fy*s.y.dilation)*s.x.in*s.channels:]
			at := row[g*size+fy*s.x.filter*s.depth:]
			if s.groups == 1 && s.x.dilation == 1 {
				n := (xHigh - xLow) * s.depth
				pack(p, i, at[xLow*s.depth:][:n], line[(x0+xLow)*s.depth:][:n], zero)
				continue
			}
			for fx := xLow; fx < xHigh; fx++ {
				from := (x0+fx*s.x.dilation)*s.channels + g*s.depth
				pack(p, i, at[fx*s.depth:][:s.depth], line[from:][:s.depth], zero)
			}
		}
	}
}

// gatherFloat is gatherPacked for float32.
func gatherFloat(s *convShape, x []float32, oy, ox int, row []float32) {
	yLow, yHigh, y0 := s.y.taps(oy)
	xLow, xHigh, x0 := s.x.taps(ox)
	if yHigh-yLow < s.y.filter || xHigh-xLow < s.x.filter {
		clear(row)
	}
	if xLow == xHigh {
		return
	}
	size := s.taps()
	for g := range s.groups {
		for fy := yLow; fy < yHigh; fy++ {
			line := x[(y0+fy*s.y.dilation)*s.x.in*s.channels:]
			at := row[g*size+fy*s.x.filter*s.depth:]
			if s.groups == 1 && s.x.dilation == 1 {
				copy(at[xLow*s.depth:xHigh*s.depth], line[(x0+xLow)*s.depth:])
				continue
			}
			for fx := xLow; fx < xHigh; fx++ {
				copy(at[fx*s.depth:][:s.depth], line[(x0+fx*s.x.dilation)*s.channels+g*s.depth:])
			}
		}
	}
}
