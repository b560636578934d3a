package datasets

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// Synthetic is a generated lifetime table.
type Synthetic struct {
	Table *lifetime.Table
	// Optimum is the smallest arena in bytes of any plan of the table, for its
	// own alignments; 0 if it is not known.
	Optimum int64
	// Plan is a plan that meets Optimum; nil if none came with the table.
	Plan *lifetime.Plan
	// Family and Seed are what the table was generated from, if it was.
	Family string
	Seed   uint64
}

// Family is a seeded generator of lifetime tables.
type Family struct {
	Name  string // kebab-case
	Title string // one line: how the tables come about
	Proof string // why the optimum is known; "" if it is not
	Least int    // the fewest buffers of a table
	make  func(r *rand.Rand, n int) *Synthetic
}

// mostBuffers is the size of the largest tables that planners are built for.
const mostBuffers = 1 << 20

// Synthetics returns the families, in the order in which they are explained.
func Synthetics() []Family {
	const full = "the tiles fill the arena at every step, so peak live bytes are its height"
	return []Family{
		{"neural", "a chain of operators with skip connections and log-normal sizes", "", 2, neural},
		{"guillotine", "a full arena cut again and again, across time or across bytes", full, 1, guillotine},
		{"strips", "a full arena cut mostly across bytes into long thin strips", full, 1, strips},
		{"pinwheel", "a full arena whose cuts are often pinwheels, which no line separates", full, 5, pinwheel},
		{"balanced", "a full arena whose tiles are cut across their longer side", full, 1, balanced},
		{"holed", "a pinwheel tiling without three tenths of its tiles, but full at one step",
			"the tiles fill the arena at one step, so peak live bytes are its height", 5, holed},
		{"two-sizes", "a full arena of one and two units, which end, merge and split in place",
			full, 1, twoSizes},
		{"robson", "the program against which first fit needs the most memory, sizes powers of two",
			"a plan made backwards in time meets peak live bytes", 4, robson},
		{"gap", "chained copies of seven buffers whose optimum is above peak live bytes",
			"case analysis: no plan of the seven fits 5 units, one fits 6", 7, gap},
		{"equal", "random lives, one size", "colouring an interval graph takes as many colours as its largest clique", 1, equal},
	}
}

// Generate returns a table of n buffers, or the largest number below n that
// the family can make. It is the same for the same n and seed on every
// platform and in every process.
func (f Family) Generate(n int, seed uint64) (*Synthetic, error) {
	if n < f.Least || n > mostBuffers {
		return nil, fmt.Errorf("generate %s: %d buffers asked for, %d to %d possible", f.Name, n, f.Least, mostBuffers)
	}
	s := f.make(rand.New(rand.NewPCG(seed, 0)), n)
	s.Family, s.Seed = f.Name, seed
	s.Table.Name = fmt.Sprintf("%s-%d", f.Name, len(s.Table.Buffers))
	return s, nil
}

// neural makes tensor i the output of operator i, which reads tensor i-1. A
// quarter of the tensors are read again further on, mostly soon.
func neural(r *rand.Rand, n int) *Synthetic {
	t := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	for i := range t.Buffers {
		last := i + 1
		if r.IntN(4) == 0 {
			last += 1 + r.IntN(2<<r.IntN(6))
		}
		t.Buffers[i] = lifetime.Buffer{
			Name: fmt.Sprintf("t%d", i), Size: logNormal(r),
			Lower: int64(i), Upper: int64(min(last, n-1)) + 1,
		}
	}
	t.Buffers[0].Kind = lifetime.Input
	t.Buffers[n-1].Kind = lifetime.Output
	return &Synthetic{Table: t}
}

// logNormal draws a size from 256 bytes to 2 MB whose binary logarithm is
// binomial, so that no floating-point rounding makes platforms differ.
func logNormal(r *rand.Rand) int64 {
	size := 16 * (16 + r.Int64N(16))
	for coin := r.Uint64N(1 << 12); coin > 0; coin &= coin - 1 {
		size *= 2
	}
	return size
}

// gapSeed are the lives and sizes of seven buffers that need 6 units although
// no more than 5 are live at once, with offsets that take 6. The two of size 1
// must be at 0 or 4 of an arena of 5 while 3 or 2+2 are beside them, and at
// different ones, for they meet; then the 2 that lives longest has nowhere to
// be.
var gapSeed = [7]struct{ lower, upper, size, offset int64 }{
	{1, 3, 3, 0}, {2, 5, 1, 3}, {3, 4, 2, 0}, {3, 6, 2, 4}, {4, 8, 1, 0}, {5, 6, 2, 1}, {6, 7, 3, 1},
}

const unit = 64 // bytes, so that common alignments change nothing

// gap chains copies of the seed in time.
func gap(_ *rand.Rand, n int) *Synthetic {
	const period = 7 // the seed lives from 1 to 8
	t := &lifetime.Table{}
	var offsets []int64
	for k := range int64(n / len(gapSeed)) {
		for i, b := range gapSeed {
			t.Buffers = append(t.Buffers, lifetime.Buffer{
				Name: fmt.Sprintf("b%d", int(k)*len(gapSeed)+i), Size: b.size * unit,
				Lower: b.lower + k*period, Upper: b.upper + k*period,
			})
			offsets = append(offsets, b.offset*unit)
		}
	}
	return proven(t, offsets)
}

// equal draws lives of all lengths, and colours them in order of birth.
func equal(r *rand.Rand, n int) *Synthetic {
	const size = 1024
	t := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	for i := range t.Buffers {
		lower := r.Int64N(2 * int64(n))
		t.Buffers[i] = lifetime.Buffer{
			Name: fmt.Sprintf("b%d", i), Size: size,
			Lower: lower, Upper: lower + 1 + r.Int64N(1+r.Int64N(int64(n))),
		}
	}
	return proven(t, colour(t, size))
}

// colour gives each buffer the slot of one that is dead, or a new one. A new
// slot is opened only when all others are live, so no plan takes fewer.
func colour(t *lifetime.Table, size int64) []int64 {
	order := func(key func(*lifetime.Buffer) int64) []int {
		positions := make([]int, len(t.Buffers))
		for i := range positions {
			positions[i] = i
		}
		slices.SortStableFunc(positions, func(i, j int) int {
			return cmp.Compare(key(&t.Buffers[i]), key(&t.Buffers[j]))
		})
		return positions
	}
	births := order(func(b *lifetime.Buffer) int64 { return b.Lower })
	deaths := order(func(b *lifetime.Buffer) int64 { return b.Upper })
	offsets := make([]int64, len(t.Buffers))
	var free []int64
	var next int64
	d := 0
	for _, i := range births {
		for ; t.Buffers[deaths[d]].Upper <= t.Buffers[i].Lower; d++ {
			free = append(free, offsets[deaths[d]])
		}
		if k := len(free); k > 0 {
			offsets[i], free = free[k-1], free[:k-1]
		} else {
			offsets[i], next = next, next+size
		}
	}
	return offsets
}

// proven is the table with a plan that is optimal by construction.
func proven(t *lifetime.Table, offsets []int64) *Synthetic {
	p := lifetime.NewPlan(t, offsets)
	return &Synthetic{Table: t, Plan: p, Optimum: p.Arena}
}
