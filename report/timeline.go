package report

import (
	"container/heap"
	"fmt"
	"slices"
	"sort"

	"github.com/arenalab/arenalab/lifetime"
)

// axis maps the steps of a table to the positions of a plot. Tables whose
// steps are few among many, clock ticks for instance, are shown by rank.
type axis struct {
	times  []int64 // distinct steps at which something is born or dies
	ranked bool
	label  string
}

// rankFrom is how many times more steps than events make the ranks clearer.
const rankFrom = 4

func newAxis(pieces []lifetime.Piece, label string) axis {
	times := make([]int64, 0, 2*len(pieces))
	for _, p := range pieces {
		times = append(times, p.Lower, p.Upper)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	a := axis{times: times, label: label}
	if n := len(times); n > 1 {
		span := uint64(times[n-1]) - uint64(times[0])
		a.ranked = span > rankFrom*uint64(n) && span > 200 || span > 1<<53
		if a.ranked {
			a.label = fmt.Sprintf("step, by rank: %s distinct ones within %s", exact(int64(n)), exact(int64(span)))
		}
	}
	return a
}

// at returns the position of a step.
func (a axis) at(step int64) float64 {
	if !a.ranked {
		return float64(step)
	}
	i, found := slices.BinarySearch(a.times, step)
	if !found {
		return float64(i) - 0.5
	}
	return float64(i)
}

func (a axis) span() (lower, upper float64) {
	if len(a.times) < 2 {
		return 0, 1
	}
	return a.at(a.times[0]), a.at(a.times[len(a.times)-1])
}

// heights is the upper envelope of a plan: Top[i] is the largest end of a live
// buffer in the steps [Times[i], Times[i+1]).
type heights struct {
	times []int64
	top   []int64
}

type ending struct{ end, upper int64 }

// endings is a heap with the largest end first.
type endings []ending

func (h endings) Len() int           { return len(h) }
func (h endings) Less(i, j int) bool { return h[i].end > h[j].end }
func (h endings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *endings) Push(x any)        { *h = append(*h, x.(ending)) }
func (h *endings) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// tops sweeps over the steps of the axis. O(n log n).
func tops(pieces []lifetime.Piece, offsets []int64, times []int64) heights {
	births := make([]int, len(pieces))
	for i := range births {
		births[i] = i
	}
	sort.SliceStable(births, func(a, b int) bool { return pieces[births[a]].Lower < pieces[births[b]].Lower })
	out := heights{times: times, top: make([]int64, len(times))}
	var live endings
	next := 0
	for i, t := range times {
		for next < len(births) && pieces[births[next]].Lower <= t {
			p := &pieces[births[next]]
			heap.Push(&live, ending{offsets[p.Buffer] + p.High, p.Upper})
			next++
		}
		for len(live) > 0 && live[0].upper <= t {
			heap.Pop(&live)
		}
		if len(live) > 0 {
			out.top[i] = live[0].end
		}
	}
	return out
}
