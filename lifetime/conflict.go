package lifetime

import "sort"

// ConflictCounts returns for each buffer the number of others that occupy
// bytes at a step at which it does. A gap occupies none, except those of its
// window; a buffer of size zero conflicts with nothing.
// O(n log n), and O(n) more for each buffer that is absent in part of its life.
func (t *Table) ConflictCounts() []int {
	counts := make([]int, len(t.Buffers))
	lives := t.presences()
	var whole, broken []int
	for i, l := range lives {
		switch len(l) {
		case 0:
		case 1:
			whole = append(whole, i)
		default:
			broken = append(broken, i)
		}
	}
	countWhole(counts, lives, whole)
	for k, i := range broken {
		for _, others := range [...][]int{whole, broken[:k]} {
			for _, j := range others {
				if meet(lives[i], lives[j]) {
					counts[i]++
					counts[j]++
				}
			}
		}
	}
	return counts
}

// Conflicts returns the number of pairs of buffers that occupy bytes at a
// common step.
func (t *Table) Conflicts() int64 {
	var sum int64
	for _, c := range t.ConflictCounts() {
		sum += int64(c)
	}
	return sum / 2
}

// presence is a stretch of steps [lower, upper) in which a buffer occupies
// bytes.
type presence struct{ lower, upper int64 }

// presences returns the maximal stretches of each buffer, in order.
func (t *Table) presences() [][]presence {
	pieces := t.Pieces()
	all := make([]presence, 0, len(pieces))
	lives := make([][]presence, len(t.Buffers))
	for k := 0; k < len(pieces); {
		i, start := pieces[k].Buffer, len(all)
		for ; k < len(pieces) && pieces[k].Buffer == i; k++ {
			p := pieces[k]
			if len(all) > start && all[len(all)-1].upper == p.Lower {
				all[len(all)-1].upper = p.Upper
			} else {
				all = append(all, presence{p.Lower, p.Upper})
			}
		}
		lives[i] = all[start:len(all):len(all)]
	}
	return lives
}

// countWhole counts the conflicts among buffers of one stretch each: those
// born before the end of a life, less those dead by its start, less itself.
func countWhole(counts []int, lives [][]presence, whole []int) {
	var s sorter
	births, starts := s.order(len(whole), func(k int) int64 { return lives[whole[k]][0].lower })
	deaths, ends := s.order(len(whole), func(k int) int64 { return lives[whole[k]][0].upper })
	born := 0
	for i, k := range deaths {
		for born < len(starts) && starts[born] < ends[i] {
			born++
		}
		counts[whole[k]] = born - 1
	}
	dead := 0
	for i, k := range births {
		for ends[dead] <= starts[i] {
			dead++
		}
		counts[whole[k]] -= dead
	}
}

// meet reports whether two lists of stretches share a step.
func meet(a, b []presence) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	for _, p := range b {
		i := sort.Search(len(a), func(i int) bool { return a[i].upper > p.lower })
		if i < len(a) && a[i].lower < p.upper {
			return true
		}
	}
	return false
}
