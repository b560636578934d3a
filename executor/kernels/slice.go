package kernels

// Parts of an operand: K/slice.cc, K/strided_slice.cc, R/strided_slice.h,
// K/internal/strided_slice_logic.h of google-ai-edge/LiteRT at f67457790c9c.

func sliceFamily() map[string]prepare {
	return map[string]prepare{
		"SLICE":         prepareSlice,
		"STRIDED_SLICE": prepareStridedSlice,
	}
}

func prepareSlice(n *Node) (Kernel, error) {
	in, out, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	begin, err := n.in(1)
	if err != nil {
		return nil, err
	}
	size, err := n.in(2)
	if err != nil {
		return nil, err
	}
	rank := len(in.Shape)
	for _, t := range []*Tensor{begin, size} {
		if err := indices(t, rank); err != nil {
			return nil, err
		}
	}
	if len(out.Shape) != rank {
		return nil, invalid("shape %v becomes %v", in.Shape, out.Shape)
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		for d, table := range m.tables {
			from, count := integer(begin.Type, data[1], d), integer(size.Type, data[2], d)
			if count == -1 {
				count = int64(in.Shape[d]) - from
			}
			switch {
			case from < 0 || count < 0 || from+count > int64(in.Shape[d]):
				return invalid("%d elements from %d of shape %v", count, from, in.Shape)
			case count != int64(len(table)):
				return ErrDynamic
			}
			for i := range table {
				table[i] = (int(from) + i) * step[d]
			}
		}
		return nil
	})
}

// stridedSlice resolves the masks of STRIDED_SLICE.
type stridedSlice struct {
	in, begin, end, stride *Tensor
	beginMask, endMask     int32 // bit d: from the first, to the last
	ellipsis, newAxis      int32
	shrink                 int32
	offset                 bool // end is a length
}

func prepareStridedSlice(n *Node) (Kernel, error) {
	in, _, m, err := moved(n)
	if err != nil {
		return nil, err
	}
	a := &n.Op.Attributes
	s := stridedSlice{
		in: in, beginMask: a.Int(0, 0), endMask: a.Int(1, 0), ellipsis: a.Int(2, 0), newAxis: a.Int(3, 0), shrink: a.Int(4, 0),
		offset: a.Bool(5, false),
	}
	for k, t := range []**Tensor{&s.begin, &s.end, &s.stride} {
		if *t, err = n.in(1 + k); err == nil {
			err = indices(*t, s.begin.Elements())
		}
		if err != nil {
			return nil, err
		}
	}
	if s.begin.Elements() > 31 {
		return nil, invalid("%d dimensions", s.begin.Elements())
	}
	step := strides(in.Shape)
	return newMover(n, m, func(data [][]byte) error {
		to, from := 0, 0 // dimensions of result and operand
		m.base = 0
		for i := range s.begin.Elements() {
			bit := int32(1) << i
			switch {
			case s.ellipsis&bit != 0:
				for rest := s.rest(i); rest > 0; rest-- {
					if err := s.whole(m, to, from, step); err != nil {
						return err
					}
					to, from = to+1, from+1
				}
				continue
			case s.newAxis&bit != 0:
				if to >= len(m.tables) || len(m.tables[to]) != 1 {
					return ErrDynamic
				}
				m.tables[to][0] = 0
				to++
				continue
			}
			if from >= len(in.Shape) {
				return invalid("more dimensions than shape %v", in.Shape)
			}
			start, stride, count, err := s.resolve(i, from, data)
			if err != nil {
				return err
			}
			if s.shrink&bit != 0 { // one element: the dimension goes
				m.base += start * step[from]
				from++
				continue
			}
			if to >= len(m.tables) || len(m.tables[to]) != count {
				return ErrDynamic
			}
			for k := range m.tables[to] {
				m.tables[to][k] = (start + k*stride) * step[from]
			}
			to, from = to+1, from+1
		}
		for ; from < len(in.Shape); from++ {
			if err := s.whole(m, to, from, step); err != nil {
				return err
			}
			to++
		}
		if to != len(m.tables) {
			return ErrDynamic
		}
		return nil
	})
}

// rest returns how many dimensions an ellipsis stands for.
func (s *stridedSlice) rest(at int) int {
	named := 0
	for i := range s.begin.Elements() {
		if i != at && s.newAxis>>i&1 == 0 {
			named++
		}
	}
	return len(s.in.Shape) - named
}

func (s *stridedSlice) whole(m *moves, to, from int, step []int) error {
	if to >= len(m.tables) || from >= len(s.in.Shape) || len(m.tables[to]) != s.in.Shape[from] {
		return ErrDynamic
	}
	steps(m.tables[to], step[from])
	return nil
}

// resolve returns the first index, the stride and the number of indices of a
// dimension.
func (s *stridedSlice) resolve(i, d int, data [][]byte) (start, stride, count int, err error) {
	size := int64(s.in.Shape[d])
	by := integer(s.stride.Type, data[3], i)
	if by == 0 {
		return 0, 0, 0, invalid("stride 0")
	}
	bit := int32(1) << i
	low, high := int64(0), size // where the first may be, and one past the last
	if by < 0 {
		low, high = -1, size-1
	}
	clamp := func(x int64) int64 { return max(low, min(x, high)) }
	wrap := func(x int64) int64 {
		if x < 0 {
			x += size
		}
		return x
	}
	first := integer(s.begin.Type, data[1], i)
	begin := clamp(wrap(first))
	if s.beginMask&bit != 0 {
		begin = low
		if by < 0 {
			begin = high
		}
	}
	if s.shrink&bit != 0 {
		if by != 1 || begin < 0 || begin >= size || s.beginMask&bit == 0 && begin != wrap(first) {
			return 0, 0, 0, invalid("index %d of %d by %d", first, size, by) // runtimes read what lies there
		}
		return int(begin), 1, 1, nil
	}
	last := integer(s.end.Type, data[2], i)
	if s.offset {
		last += first
		if first < 0 {
			last += size
		}
	} else {
		last = wrap(last)
	}
	end := clamp(last)
	if s.endMask&bit != 0 {
		end = high
		if by < 0 {
			end = low
		}
	}
	n := (end - begin + by - sign(by)) / by
	return int(begin), int(by), int(max(n, 0)), nil
}

func sign(x int64) int64 {
	if x < 0 {
		return -1
	}
	return 1
}
