package strategies

// Interval colouring takes the buffers in order of birth and gives each the
// lowest of the colours that nobody live has; a colour is a block of memory of
// its own, as large as the largest buffer that uses it.
//
// Complexity: O(n log n).
//
// Reference: A. Hashimoto, J. Stevens, "Wire routing by optimizing channel
// assignment within large apertures", 8th Design Automation Workshop, 1971,
// pages 155-169, doi:10.1145/800158.805069 (the left-edge algorithm);
// U. I. Gupta, D. T. Lee, J. Y.-T. Leung, "An optimal solution for the
// channel-assignment problem", IEEE Transactions on Computers C-28(11), 1979,
// pages 807-810, doi:10.1109/TC.1979.1675260.
//
// Departures: the original has one size. Here a block is as large as its
// largest buffer, blocks lie end to end, each at a multiple of the alignments
// in it, and step over buffers with fixed offsets. A buffer with gaps keeps its
// colour all its life.

import (
	"context"

	"github.com/arenalab/arenalab/lifetime"
)

type intervalColoring struct{}

func (intervalColoring) Info() Info {
	return Info{
		Name:       "interval-coloring",
		Title:      "Interval colouring",
		Summary:    "whole blocks: the first one that is free, in order of first use",
		Reference:  "A. Hashimoto and J. Stevens, Wire routing by optimizing channel assignment within large apertures, 8th Design Automation Workshop, 1971, doi:10.1145/800158.805069; U. I. Gupta, D. T. Lee, J. Y.-T. Leung, An optimal solution for the channel-assignment problem, IEEE Transactions on Computers C-28(11), 1979, doi:10.1109/TC.1979.1675260",
		Complexity: "O(n log n)",
		Key:        "first use, the larger, the later last use",
		Guarantee:  "at most the largest number of buffers live at once times the largest size, padding apart; " + equalSizes,
	}
}

func (intervalColoring) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	return share(ctx, t, o, byBirth(), assignColors)
}

func assignColors(ctx context.Context, p *placement) (*objects, error) {
	objs := newObjects(len(p.items))
	var free lowest
	ends := deaths(p.items)
	for k := range p.items {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		it := &p.items[k]
		for ; p.items[ends[0]].upper <= it.lower; ends = ends[1:] {
			free.push(objs.of[ends[0]])
		}
		if len(free) > 0 {
			objs.join(k, free.pop(), it.size)
		} else {
			objs.create(k, it.size)
		}
	}
	return objs, nil
}

// lowest is a heap of numbers, the lowest first.
type lowest []int32

func (h *lowest) push(x int32) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 && s[(i-1)/2] > x {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = x
	*h = s
}

func (h *lowest) pop() int32 {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	i := 0
	for c := 1; c < len(s); c = 2*i + 1 {
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if s[c] >= x {
			break
		}
		s[i] = s[c]
		i = c
	}
	if len(s) > 0 {
		s[i] = x
	}
	*h = s
	return top
}
