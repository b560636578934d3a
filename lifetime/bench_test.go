package lifetime

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

var benchSizes = []int{1e4, 1e5, 1e6}

// benchTable is like the table of a neural network: short lives along a chain,
// some long ones. The plan stacks whatever is live: a slot is taken again when
// its buffer is dead.
func benchTable(n int) (*Table, *Plan) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	t := &Table{Buffers: make([]Buffer, n)}
	for i := range t.Buffers {
		lower := int64(i / 2)
		t.Buffers[i] = Buffer{
			Name: fmt.Sprint(i), Size: 64 + r.Int64N(1<<16),
			Lower: lower, Upper: lower + 1 + r.Int64N(2<<r.IntN(6)),
		}
	}
	const slot = 1 << 17
	offsets := make([]int64, n)
	ends := make([]int64, 0, 256) // of the slots, by step
	for i := range t.Buffers {
		k := 0
		for k < len(ends) && ends[k] > t.Buffers[i].Lower {
			k++
		}
		if k == len(ends) {
			ends = append(ends, 0)
		}
		ends[k] = t.Buffers[i].Upper
		offsets[i] = int64(k) * slot
	}
	r.Shuffle(n, func(i, j int) {
		t.Buffers[i], t.Buffers[j] = t.Buffers[j], t.Buffers[i]
		offsets[i], offsets[j] = offsets[j], offsets[i]
	})
	return t, NewPlan(t, offsets)
}

func eachSize(b *testing.B, f func(b *testing.B, t *Table, p *Plan)) {
	for _, n := range benchSizes {
		t, p := benchTable(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			f(b, t, p)
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	eachSize(b, func(b *testing.B, t *Table, p *Plan) {
		for b.Loop() {
			if err := Check(t, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLiveBytes(b *testing.B) {
	eachSize(b, func(b *testing.B, t *Table, p *Plan) {
		for b.Loop() {
			t.LiveBytes()
		}
	})
}

func BenchmarkConflictCounts(b *testing.B) {
	eachSize(b, func(b *testing.B, t *Table, p *Plan) {
		for b.Loop() {
			t.ConflictCounts()
		}
	})
}

func BenchmarkReadCSV(b *testing.B) {
	eachSize(b, func(b *testing.B, t *Table, p *Plan) {
		var text bytes.Buffer
		if err := WriteCSV(&text, t, nil); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			if _, err := ReadCSV(bytes.NewReader(text.Bytes()), CSVOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWriteCSV(b *testing.B) {
	eachSize(b, func(b *testing.B, t *Table, p *Plan) {
		for b.Loop() {
			if err := WriteCSV(&bytes.Buffer{}, t, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
