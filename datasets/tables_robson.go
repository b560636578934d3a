package datasets

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// robson is the program that makes an allocator that puts each buffer at the
// lowest free offset use the most memory: it fills M bytes with buffers of one,
// then, for k = 1, 2 ..., keeps only what holds a byte at a residue modulo 2^k
// and fills up to M again with buffers of 2^k, for which no hole is left. The
// residue is one of the two that the last leaves, the one by which more is
// blocked. M is a power of two, and 2^k at most a quarter of it.
//
// Reference: J. M. Robson, "Worst case fragmentation of first fit and best fit
// storage allocation strategies", The Computer Journal 20(3), 1977, pages
// 242-244, doi:10.1093/comjnl/20.3.242.
func robson(r *rand.Rand, n int) *Synthetic {
	best := runProgram(4)
	for m := int64(8); m <= int64(n); m *= 2 {
		p := runProgram(m)
		if len(p.blocks) > n {
			break
		}
		best = p
	}
	offsets := best.pack()
	r.Shuffle(len(offsets), func(i, j int) {
		offsets[i], offsets[j] = offsets[j], offsets[i]
		best.blocks[i], best.blocks[j] = best.blocks[j], best.blocks[i]
	})
	t := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(offsets))}
	for i, b := range best.blocks {
		t.Buffers[i] = lifetime.Buffer{Name: fmt.Sprintf("b%d", i), Size: b.size * unit, Lower: b.born, Upper: b.freed}
		offsets[i] *= unit
	}
	return proven(t, offsets)
}

// block is a buffer of the program. Every birth has a step of its own.
type block struct {
	size, born, freed int64
	phase             int // in which it is freed
	offset            int64
}

type program struct {
	m      int64
	blocks []block
	phases int
}

// runProgram runs the program against first fit in m bytes.
func runProgram(m int64) *program {
	p := &program{m: m}
	var live []int // by offset
	var clock, held, residue int64
	for size := int64(1); size == 1 || 4*size <= m; size *= 2 {
		if size > 1 {
			residue = p.residue(live, residue, size)
			kept := live[:0]
			for _, i := range live {
				if b := &p.blocks[i]; blocks(b, residue, size) {
					kept = append(kept, i)
				} else {
					b.freed, b.phase = clock, p.phases
					held -= b.size
				}
			}
			live = kept
		}
		born := len(p.blocks)
		for ; held+size <= m; held += size {
			p.blocks = append(p.blocks, block{size: size, born: clock})
			clock++
		}
		live = p.fit(live, born)
		p.phases++
	}
	for _, i := range live {
		p.blocks[i].freed, p.blocks[i].phase = clock, p.phases
	}
	return p
}

// blocks reports whether the block holds a byte at the residue.
func blocks(b *block, residue, size int64) bool {
	return (residue-b.offset%size+size)%size < b.size
}

// residue returns the one of the two that blocks more.
func (p *program) residue(live []int, last, size int64) int64 {
	var blocked [2]int64
	for k := range blocked {
		for _, i := range live {
			if b := &p.blocks[i]; blocks(b, last+int64(k)*size/2, size) {
				blocked[k] += size - b.size
			}
		}
	}
	if blocked[1] > blocked[0] {
		return last + size/2
	}
	return last
}

// fit puts the blocks from born on, all of one size, at the lowest offsets that
// are free, and returns all that live by offset.
func (p *program) fit(live []int, born int) []int {
	var out []int
	var end int64
	for k := 0; k < len(live) || born < len(p.blocks); {
		if born < len(p.blocks) && (k == len(live) || p.blocks[live[k]].offset-end >= p.blocks[born].size) {
			p.blocks[born].offset = end
			end += p.blocks[born].size
			out = append(out, born)
			born++
			continue
		}
		if k == len(live) {
			break
		}
		b := &p.blocks[live[k]]
		end = b.offset + b.size
		out = append(out, live[k])
		k++
	}
	return out
}

// pack returns offsets that take m bytes. It goes back in time, where the
// largest leave first: what was freed at the start of a phase is put, the
// largest first, at the lowest offset that is free.
func (p *program) pack() []int64 {
	offsets := make([]int64, len(p.blocks))
	byPhase := make([][]int, p.phases+1)
	for i := range p.blocks {
		byPhase[p.blocks[i].phase] = append(byPhase[p.blocks[i].phase], i)
	}
	var live []int
	for phase := p.phases; phase > 0; phase-- {
		largest := int64(1) << phase // those of this phase are not yet there
		live = slices.DeleteFunc(live, func(i int) bool { return p.blocks[i].size >= largest })
		come := byPhase[phase]
		slices.SortStableFunc(come, func(i, j int) int { return cmp.Compare(p.blocks[j].size, p.blocks[i].size) })
		for len(come) > 0 {
			n := 1
			for n < len(come) && p.blocks[come[n]].size == p.blocks[come[0]].size {
				n++
			}
			live = refit(p, live, come[:n], offsets)
			come = come[n:]
		}
	}
	return offsets
}

func refit(p *program, live, come []int, offsets []int64) []int {
	var out []int
	var end int64
	for k := 0; k < len(live) || len(come) > 0; {
		if len(come) > 0 && (k == len(live) || offsets[live[k]]-end >= p.blocks[come[0]].size) {
			offsets[come[0]] = end
			end += p.blocks[come[0]].size
			out = append(out, come[0])
			come = come[1:]
			continue
		}
		end = offsets[live[k]] + p.blocks[live[k]].size
		out = append(out, live[k])
		k++
	}
	return out
}
