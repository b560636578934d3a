package bound

import (
	"cmp"
	"slices"

	"github.com/arenalab/arenalab/lifetime"
)

// instant is a step at which a maximal set of buffers is live.
type instant struct {
	step int64
	load int64 // bytes live
}

// instants returns those of the query, ascending.
func instants(q query) []instant {
	var pieces []lifetime.Piece
	for _, i := range q.buffers {
		one := lifetime.Table{Buffers: q.t.Buffers[i : i+1]}
		for _, p := range one.Pieces() {
			p.Lower, p.Upper = max(p.Lower, q.lower), min(p.Upper, q.upper)
			if p.Lower < p.Upper {
				pieces = append(pieces, p)
			}
		}
	}
	var out []instant
	var live, last int64
	born := false
	for _, e := range events(pieces, 1) {
		if e.birth {
			live += e.bytes
			last, born = e.step, true
			continue
		}
		if born {
			out, born = append(out, instant{last, live}), false
		}
		live -= e.bytes
	}
	return out
}

// mostCentres is the number of instants that windows are laid around.
const mostCentres = 32

// search looks for a window that can be refuted.
func (r *refuter) search(q query, e effort) (query, *certificate) {
	at := instants(q)
	centres := make([]int, len(at))
	for i := range centres {
		centres[i] = i
	}
	slices.SortStableFunc(centres, func(i, j int) int { return cmp.Compare(at[j].load, at[i].load) })
	centres = centres[:min(len(centres), mostCentres)]
	slices.Sort(centres)
	left := r.work - 100*e.work    // a round is not to take all
	plan := make([]int, len(at)+1) // from each instant, up to where there is a plan
	for width := 1; ; width = min(len(at), width+(width+1)/2) {
		last := -1
		for _, c := range centres {
			from := min(max(0, c-width/2), len(at)-width)
			to := from + width
			if from == last || slices.Max(plan[:from+1]) >= to {
				continue
			}
			if last = from; r.ctx.Err() != nil || r.work <= left {
				return q, nil
			}
			part := q.clipped(at[from].step, at[to-1].step+1)
			switch cert, a := r.refute(part, e); a {
			case refuted:
				return part, cert
			case planned:
				plan[from] = max(plan[from], to)
			}
		}
		if width == len(at) { // nothing new: all steps were tried before
			return q, nil
		}
	}
}

// shrink leaves out steps and buffers as long as the rest is refuted, and
// checked with little more work.
func (r *refuter) shrink(q query, c *certificate) *certificate {
	r.work = min(r.work, max(min(20*c.work, 100_000_000), 2*c.work, 20_000_000))
	try := func(part query) bool {
		if len(part.buffers) == 0 || r.work <= 0 || r.ctx.Err() != nil {
			return false
		}
		limit := max(2*c.work, 200_000)
		cert, a := r.refute(part, effort{buffers: len(part.buffers), tries: 1_000_000, leaves: max(smallTree, 2*len(c.bound.Tree)), work: limit})
		if a != refuted || cert.work > limit {
			return false
		}
		q, c = part, cert
		return true
	}
	at := instants(q)
	from, to := 0, len(at)
	for step := (to - from) / 2; step > 0; step /= 2 {
		for from+step < to && try(q.clipped(at[from+step].step, q.upper)) {
			from += step
		}
		for to-step > from && try(q.clipped(q.lower, at[to-step-1].step+1)) {
			to -= step
		}
	}
	for chunk := max(1, len(q.buffers)/4); ; chunk /= 2 {
		for i := 0; i < len(q.buffers); {
			part := q
			part.buffers = slices.Delete(slices.Clone(q.buffers), i, min(i+chunk, len(q.buffers)))
			if !try(part) {
				i += chunk
			}
		}
		if chunk <= 1 {
			return c
		}
	}
}
