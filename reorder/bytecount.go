package reorder

import "github.com/arenalab/arenalab/graph"

// byteCount knows what each operator allocates and, as operators run, what it
// would free.
type byteCount struct {
	m         *graph.Memory
	readers   []int   // by value: operators still to read it
	readerSum []int   // by value: the sum of their indices, so that the last one is known
	allocates []int64 // by operator
	frees     []int64 // by operator: if it ran now
	frozen    bool    // what is there from the start is not freed
}

func newByteCount(m *graph.Memory, frozen bool) *byteCount {
	b := &byteCount{
		m:         m,
		readers:   make([]int, len(m.Values)),
		readerSum: make([]int, len(m.Values)),
		allocates: make([]int64, len(m.Ops)),
		frees:     make([]int64, len(m.Ops)),
		frozen:    frozen,
	}
	for v := range m.Values {
		x := &m.Values[v]
		if x.Maker >= 0 {
			b.allocates[x.Maker] += x.Size
		}
		b.readers[v] = len(x.Readers)
		for _, i := range x.Readers {
			b.readerSum[v] += i
		}
		if len(x.Readers) == 1 && b.freed(x) {
			b.frees[x.Readers[0]] += x.Size
		}
	}
	return b
}

// freed reports whether the value is freed by its last reader.
func (b *byteCount) freed(x *graph.Value) bool {
	return !x.Kept && !(b.frozen && x.Maker < 0)
}

// run counts operator i as run and reports those that became the last reader
// of a value, and so free more than before.
func (b *byteCount) run(i int, last func(op int)) {
	for _, v := range b.m.Ops[i].Reads {
		b.readers[v]--
		b.readerSum[v] -= i
		if x := &b.m.Values[v]; b.readers[v] == 1 && b.freed(x) {
			b.frees[b.readerSum[v]] += x.Size
			last(b.readerSum[v])
		}
	}
}
