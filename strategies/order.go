package strategies

import (
	"cmp"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

// The orders of strategies that do not follow a runtime. All end in keys that
// tell any two buffers apart, so that the order of the rows does not matter;
// buffers alike in everything but the name can be swapped without harm.

// byBirth orders by Lower, the larger first, then by the later end.
func byBirth(t *lifetime.Table) func(a, b item) int {
	return func(a, b item) int {
		if c := cmp.Compare(a.lower, b.lower); c != 0 {
			return c
		}
		if c := cmp.Compare(b.size, a.size); c != 0 {
			return c
		}
		return lastKeys(t, &a, &b)
	}
}

// bySize orders by size, the larger first, then by Lower and by the later end.
func bySize(t *lifetime.Table) func(a, b item) int {
	return func(a, b item) int {
		if c := cmp.Compare(b.size, a.size); c != 0 {
			return c
		}
		if c := cmp.Compare(a.lower, b.lower); c != 0 {
			return c
		}
		return lastKeys(t, &a, &b)
	}
}

func lastKeys(t *lifetime.Table, a, b *item) int {
	if c := cmp.Compare(b.upper, a.upper); c != 0 {
		return c
	}
	if c := cmp.Compare(b.align, a.align); c != 0 {
		return c
	}
	if c := strings.Compare(t.Buffers[a.index].Name, t.Buffers[b.index].Name); c != 0 {
		return c
	}
	return cmp.Compare(a.index, b.index)
}
