package datasets

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

func seriesParallelGraph() GraphFamily {
	return GraphFamily{
		Name: "series-parallel", Title: "random series and parallel compositions; branches share the result that they read",
		Reference: "the graphs of New Tools for Peak Memory Scheduling, 2023, whose out-degree is bounded",
		Meaning:   "size: operators; width: most readers of a result",
		Defaults:  GraphParams{Size: 100, Width: 4},
		Least:     GraphParams{Size: 1, Width: 2},
		Most:      GraphParams{Size: 100_000, Width: 100},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			d.keep(d.compose(r, p.Size, p.Width, d.input(1<<10), false))
			d.mix(r)
		},
	}
}

// compose draws count operators between the value that they read and the
// result that it returns. In a branch the first operator stands alone, so that
// no more branches begin at what it reads.
func (d *draft) compose(r *rand.Rand, count, most, read int, branch bool) int {
	for count > 0 {
		// A part in series: one operator, or branches and one that joins them.
		part := 1
		if !branch && r.IntN(3) > 0 {
			part += r.IntN(count)
		}
		branch = false
		branches := min(2+r.IntN(most-1), part-1)
		if branches < 2 {
			read = d.op("Conv", kib(r, 100), read)
			count--
			continue
		}
		var ends []int
		rest := part - 1
		for b := branches; b > 0; b-- {
			n := rest
			if b > 1 {
				n = 1 + r.IntN(rest-b+1)
			}
			if n == 1 && b > 1 && b < branches && r.IntN(4) == 0 {
				ends = append(ends, read) // a branch of nothing
				continue
			}
			ends = append(ends, d.compose(r, n, most, read, true))
			rest -= n
		}
		read = d.op("Concat", kib(r, 100), ends...)
		count -= part
	}
	return read
}

func pumpkinGraph() GraphFamily {
	return GraphFamily{
		Name:      "pumpkin",
		Title:     "chains of two operators that read one result; each makes a large one, then a small one; one operator joins them",
		Reference: "the graphs of that name in New Tools for Peak Memory Scheduling, 2023",
		Meaning:   "width: chains",
		Proof: "a chain begun is best finished before the next, whose large result is above every small one; the one that " +
			"comes last is tried out, and two neighbours of the others may be exchanged until the large results fall",
		Defaults: GraphParams{Width: 12},
		Least:    GraphParams{Width: 1},
		Most:     GraphParams{Width: 2000},
		draw:     drawPumpkin,
	}
}

// chain is a large result and the small one made of it.
type chain struct{ large, small int64 }

func drawPumpkin(d *draft, p GraphParams, r *rand.Rand) {
	const in = 1 << 10
	shared := kib(r, 64)
	chains := make([]chain, p.Width)
	for i := range chains {
		chains[i] = chain{large: kib(r, 64) + 64<<10, small: kib(r, 64)}
	}
	slices.SortFunc(chains, func(a, b chain) int { return cmp.Compare(b.large, a.large) })
	best, last := int64(1<<62), 0
	for l := range chains {
		if peak := pumpkinPeak(chains, l, shared); peak < best {
			best, last = peak, l
		}
	}
	var sum int64
	source := d.op("Conv", shared, d.input(in))
	ends := make([]int, 0, p.Width)
	draw := func(c chain) {
		ends = append(ends, d.op("Conv", c.small, d.op("Conv", c.large, source)))
		sum += c.small
	}
	for i, c := range chains {
		if i != last {
			draw(c)
		}
	}
	draw(chains[last])
	const out = 1 << 10
	d.keep(d.op("Concat", out, ends...))
	d.optimum = max(best, in+shared, sum+out)
	d.mix(r)
}

// pumpkinPeak returns the peak while the chains run one after the other, the
// one of index last at the end; until its first operator has run the shared
// result is live.
func pumpkinPeak(chains []chain, last int, shared int64) int64 {
	var done, peak int64
	for i, c := range chains {
		if i != last {
			peak = max(peak, shared+done+c.large+c.small)
			done += c.small
		}
	}
	c := chains[last]
	return max(peak, shared+done+c.large, done+c.large+c.small)
}

func hillsGraph() GraphFamily {
	return GraphFamily{
		Name:    "hills",
		Title:   "equal chains, each of which doubles what it holds again and again, then folds it into a small result",
		Meaning: "width: chains; depth: doublings",
		Proof: "when the last of the chains is at its top, each of the others has passed its own, after which it holds its " +
			"result at least",
		Defaults: GraphParams{Width: 30, Depth: 10},
		Least:    GraphParams{Width: 1, Depth: 1},
		Most:     GraphParams{Width: 2000, Depth: 30},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			const in, small = 64, 16
			x := d.input(in)
			ends := []int{x} // which is live throughout
			for range p.Width {
				top, size := x, int64(small)
				for range p.Depth {
					size *= 2
					top = d.op("Mul", size, top)
				}
				ends = append(ends, d.op("MatMul", small, top))
			}
			d.keep(d.op("Concat", small, ends...))
			// At the top the largest is made of one of half its size.
			top := int64(small) << p.Depth
			d.optimum = in + int64(p.Width-1)*small + top + top/2
			d.mix(r)
		},
	}
}
