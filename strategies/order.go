package strategies

import (
	"cmp"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

// The orders of strategies that do not follow a runtime. All end in keys that
// tell any two buffers apart, so that the order of the rows does not matter;
// buffers alike in everything but the name can be swapped without harm.

// byBirth: Lower ascending; ties the larger first, then the later end.
func byBirth() sorting {
	return sorting{key: lowerUp, native: settle, columns: func(*lifetime.Table) []column {
		return []column{lowerColumn, sizeColumn}
	}}
}

// bySize: the larger first; ties by Lower, then the later end.
func bySize() sorting {
	return sorting{key: sizeDown, native: settle, columns: func(*lifetime.Table) []column {
		return []column{sizeColumn, lowerColumn}
	}}
}

// The columns of lowerUp and sizeDown. Steps may be negative.
func lowerColumn(it *item) uint64 { return uint64(it.lower) ^ 1<<63 }
func sizeColumn(it *item) uint64  { return ^uint64(it.size) }

func lowerUp(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int { return cmp.Compare(a.lower, b.lower) }
}

func sizeDown(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int { return cmp.Compare(b.size, a.size) }
}

// rows compares nothing: the order is that of the table.
func rows(*lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int { return 0 }
}

// settle tells any two buffers apart that are not alike.
func settle(t *lifetime.Table) func(a, b *item) int {
	return func(a, b *item) int {
		if c := cmp.Compare(a.lower, b.lower); c != 0 {
			return c
		}
		if c := cmp.Compare(b.size, a.size); c != 0 {
			return c
		}
		if c := cmp.Compare(b.upper, a.upper); c != 0 {
			return c
		}
		if c := cmp.Compare(b.align, a.align); c != 0 {
			return c
		}
		return strings.Compare(t.Buffers[a.index].Name, t.Buffers[b.index].Name)
	}
}
