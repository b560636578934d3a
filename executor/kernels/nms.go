package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Boxes of high scores that do not overlap: K/non_max_suppression.cc and
// R/non_max_suppression.h of google-ai-edge/LiteRT at f67457790c9c. Of equal
// scores the first is taken; the runtime leaves that to its queue.

func suppressionFamily() map[string]prepare {
	return map[string]prepare{
		"NON_MAX_SUPPRESSION_V4": func(n *Node) (Kernel, error) { return prepareSuppression(n, false) },
		"NON_MAX_SUPPRESSION_V5": func(n *Node) (Kernel, error) { return prepareSuppression(n, true) },
	}
}

// candidate is a box that may be chosen.
type candidate struct {
	score float32
	box   int32
	seen  int32 // chosen boxes that it has been compared with
}

func (a candidate) before(b candidate) bool {
	return a.score > b.score || a.score == b.score && a.box < b.box
}

type suppression struct {
	boxes, count int  // count may be chosen
	soft         bool // scores of boxes that overlap are lowered
	queue        []candidate
}

func prepareSuppression(n *Node, soft bool) (Kernel, error) {
	operands, results := 5, 2
	if soft {
		operands, results = 6, 3
	}
	for i := range operands {
		t, err := n.in(i)
		if err != nil {
			return nil, err
		}
		if i == 2 && t.Type != graph.Int32 || i != 2 && t.Type != graph.Float32 || i > 1 && t.Elements() != 1 {
			return nil, invalid("operand %d of %v and shape %v", i, t.Type, t.Shape)
		}
	}
	boxes, scores := n.In[0], n.In[1]
	if len(boxes.Shape) != 2 || boxes.Shape[1] != 4 || scores.Elements() != boxes.Shape[0] {
		return nil, invalid("boxes of shape %v, scores of shape %v", boxes.Shape, scores.Shape)
	}
	k := &suppression{boxes: boxes.Shape[0], soft: soft}
	for i := range results {
		t, err := n.out(i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			k.count = t.Elements()
		}
		last := i == results-1
		if t.Type != graph.Int32 && (i != 1 || last) || i == 1 && !last && t.Type != graph.Float32 || t.Elements() != k.count && !last || last && t.Elements() != 1 {
			return nil, invalid("result %d of %v and shape %v", i, t.Type, t.Shape)
		}
	}
	if err := working(k.boxes); err != nil {
		return nil, err
	}
	k.queue = make([]candidate, 0, k.boxes)
	return k, nil
}

// Run chooses.
func (k *suppression) Run(c *Call) error {
	boxes, scores := view[float32](c.In[0]), view[float32](c.In[1])
	if int(view[int32](c.In[2])[0]) != k.count {
		return ErrDynamic
	}
	overlap, least := view[float32](c.In[3])[0], view[float32](c.In[4])[0]
	chosen, number := view[int32](c.Out[0]), c.Out[1]
	var values []float32
	scale := float32(0)
	if k.soft {
		values, number = view[float32](c.Out[1]), c.Out[2]
		clear(values)
		if sigma := view[float32](c.In[5])[0]; sigma > 0 {
			scale = float32(-0.5 / float64(sigma))
		} else if sigma < 0 {
			return invalid("sigma %g", sigma)
		}
	}
	clear(chosen)
	k.queue = k.queue[:0]
	for i, s := range scores {
		if s > least {
			k.push(candidate{s, int32(i), 0})
		}
	}
	done, most := 0, min(len(k.queue), k.count)
	for done < most && len(k.queue) > 0 {
		next := k.pop()
		before := next.score
		hard := false
		for j := done - 1; j >= int(next.seen); j-- {
			part := shared(boxes[4*next.box:][:4], boxes[4*chosen[j]:][:4])
			if hard = part >= overlap; hard {
				break
			}
			if scale != 0 {
				next.score *= float32(math.Exp(float64(float32(scale*part) * part)))
			}
			if next.score <= least {
				break
			}
		}
		next.seen = int32(done)
		if hard {
			continue
		}
		if next.score == before {
			chosen[done] = next.box
			if values != nil {
				values[done] = next.score
			}
			done++
		}
		if next.score > least {
			k.push(next)
		}
	}
	view[int32](number)[0] = int32(done)
	return nil
}

// shared returns the area that two boxes share, of all that they cover.
func shared(a, b []float32) float32 {
	ay, ax, aY, aX := min(a[0], a[2]), min(a[1], a[3]), max(a[0], a[2]), max(a[1], a[3])
	by, bx, bY, bX := min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])
	first, second := float32((aY-ay)*(aX-ax)), float32((bY-by)*(bX-bx))
	if first <= 0 || second <= 0 {
		return 0
	}
	both := float32(max(min(aY, bY)-max(ay, by), 0) * max(min(aX, bX)-max(ax, bx), 0))
	return both / (first + second - both)
}

// push and pop keep the queue a heap. There is room for all boxes.
func (k *suppression) push(c candidate) {
	k.queue = append(k.queue, c)
	q, i := k.queue, len(k.queue)-1
	for ; i > 0 && c.before(q[(i-1)/2]); i = (i - 1) / 2 {
		q[i] = q[(i-1)/2]
	}
	q[i] = c
}

func (k *suppression) pop() candidate {
	q := k.queue
	top, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	k.queue = q
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(last) {
			break
		}
		q[i], i = q[child], child
	}
	if len(q) > 0 {
		q[i] = last
	}
	return top
}
