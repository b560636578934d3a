package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/arenalab/arenalab/lifetime"
)

// twoSizes keeps about the square root of n rows full of buffers that are one
// or two units high. At each step one ends and another takes its place, two
// that lie together make room for one of two units, or one of these for two.
// Planning is hard even with these two sizes.
//
// Reference: problem SR2 in M. R. Garey, D. S. Johnson, Computers and
// Intractability, Freeman, 1979.
func twoSizes(r *rand.Rand, n int) *Synthetic {
	rows := 1
	for rows < n && (rows-2)*(rows-2) < n {
		rows++
	}
	s := &stacked{t: &lifetime.Table{}, at: make([]int, rows)}
	for row := range rows {
		s.start(row, 1)
	}
	for len(s.t.Buffers) < n {
		s.now++
		row := r.IntN(rows)
		i := s.at[row]
		low, size := int(s.offsets[i]/unit), s.t.Buffers[i].Size/unit
		above := low + int(size)
		switch what := r.IntN(3); {
		case what == 0 && size == 2 && n-len(s.t.Buffers) >= 2:
			s.start(low, 1)
			s.start(low+1, 1)
		case what == 1 && size == 1 && above < rows && s.t.Buffers[s.at[above]].Size == unit:
			s.start(low, 2)
		default:
			s.start(low, size)
		}
	}
	s.now++
	for i := range s.t.Buffers {
		if b := &s.t.Buffers[i]; b.Upper == 0 {
			b.Upper = s.now
		}
	}
	r.Shuffle(n, func(i, j int) {
		s.t.Buffers[i], s.t.Buffers[j] = s.t.Buffers[j], s.t.Buffers[i]
		s.offsets[i], s.offsets[j] = s.offsets[j], s.offsets[i]
	})
	for i := range s.t.Buffers {
		s.t.Buffers[i].Name = fmt.Sprintf("b%d", i)
	}
	return proven(s.t, s.offsets)
}

// stacked is an arena of rows, all taken.
type stacked struct {
	t       *lifetime.Table
	offsets []int64
	at      []int // by row: the buffer that is there
	now     int64
}

// start ends what is in the rows and puts a new buffer there.
func (s *stacked) start(row int, size int64) {
	i := len(s.t.Buffers)
	for k := row; k < row+int(size); k++ {
		if s.now > 0 && s.t.Buffers[s.at[k]].Upper == 0 {
			s.t.Buffers[s.at[k]].Upper = s.now
		}
		s.at[k] = i
	}
	s.t.Buffers = append(s.t.Buffers, lifetime.Buffer{Size: size * unit, Lower: s.now})
	s.offsets = append(s.offsets, int64(row)*unit)
}
