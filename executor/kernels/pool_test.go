package kernels

import (
	"slices"
	"testing"
)

// marks is a task that notes the rows it has seen.
type marks struct {
	rows []int
	bad  int // the row at which it panics, -1 for none
}

func (m *marks) Range(low, high int) {
	for i := low; i < high; i++ {
		if i == m.bad {
			panic("bad row")
		}
		m.rows[i]++
	}
}

func TestPool(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		p := NewPool(workers)
		for _, rows := range []int{0, 1, 2, 7, 100} {
			m := &marks{make([]int, rows), -1}
			p.Do(m, rows, grain)
			if !slices.Equal(m.rows, slices.Repeat([]int{1}, rows)) {
				t.Errorf("%d workers, %d rows: %v", workers, rows, m.rows)
			}
		}
		for _, bad := range []int{0, 50, 99} { // in any part
			m := &marks{make([]int, 100), bad}
			func() {
				defer func() {
					if v := recover(); v != "bad row" {
						t.Errorf("%d workers, row %d: recovered %v", workers, bad, v)
					}
				}()
				p.Do(m, 100, grain)
			}()
		}
		m := &marks{make([]int, 10), -1}
		p.Do(m, 10, grain) // goes on after that
		if n := testing.AllocsPerRun(10, func() { p.Do(m, 10, grain) }); n > 0 {
			t.Errorf("%d workers: %v allocations", workers, n)
		}
		p.Close()
	}
}
