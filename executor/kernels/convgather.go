package kernels

// gatherPacked writes what the filters of an output position see, less the zero
// point, into the lane of a row: group by group, then by tap, then by channel.
// Taps outside the image are zero. The first lane overwrites the row, the
// second adds to it. x starts at the image.
func gatherPacked[T int8 | uint8 | int16](s *convShape, x []T, zero int64, oy, ox int, row []int64, lane int) {
	yLow, yHigh, y0 := s.y.taps(oy)
	xLow, xHigh, x0 := s.x.taps(ox)
	if lane == 0 && (yHigh-yLow < s.y.filter || xHigh-xLow < s.x.filter) {
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
				pack(at[xLow*s.depth:][:n], line[(x0+xLow)*s.depth:][:n], zero, lane)
				continue
			}
			for fx := xLow; fx < xHigh; fx++ {
				from := (x0+fx*s.x.dilation)*s.channels + g*s.depth
				pack(at[fx*s.depth:][:s.depth], line[from:][:s.depth], zero, lane)
			}
		}
	}
}

// pack writes inputs less the zero point into a lane.
func pack[T int8 | uint8 | int16](row []int64, x []T, zero int64, lane int) {
	row = row[:len(x)]
	if lane == 0 {
		for i, v := range x {
			row[i] = int64(v) - zero
		}
		return
	}
	for i, v := range x {
		row[i] += (int64(v) - zero) << 32
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
