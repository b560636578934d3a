package datasets

import (
	"math/rand/v2"
	"slices"
)

// plantedRoom is the optimum of planted graphs, in bytes.
const plantedRoom = 1 << 20

const plantedProof = "the last operator reads all that is live and fills the room with its result; the order in which the graph was drawn never needs more"

func plantedGraph() GraphFamily {
	return GraphFamily{
		Name: "planted", Title: "a graph drawn along an order that fills its room again and again; other orders need more",
		Meaning:  "size: operators; width: results live at once",
		Proof:    plantedProof,
		Defaults: GraphParams{Size: 100, Width: 8},
		Least:    GraphParams{Size: 2, Width: 1},
		Most:     GraphParams{Size: 100_000, Width: 1000},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			g := planting{draft: d, r: r}
			g.live = append(g.live, plantedValue{d.input(plantedRoom / 16), plantedRoom / 16})
			g.used = plantedRoom / 16
			for len(d.nodes) < p.Size-1 {
				g.step(p.Width)
			}
			g.last()
		},
	}
}

func plantedTreeGraph() GraphFamily {
	return GraphFamily{
		Name: "planted-tree", Title: "as planted, but every result is read once, so that the graph is an in-tree",
		Meaning:  "size: operators; width: results live at once",
		Proof:    plantedProof,
		Defaults: GraphParams{Size: 100, Width: 8},
		Least:    GraphParams{Size: 2, Width: 1},
		Most:     GraphParams{Size: 100_000, Width: 1000},
		draw: func(d *draft, p GraphParams, r *rand.Rand) {
			g := planting{draft: d, r: r, tree: true, source: d.input(64), used: 64}
			for len(d.nodes) < p.Size-1 {
				g.step(p.Width)
			}
			g.live = append(g.live, plantedValue{g.source, 64}) // live throughout
			g.last()
		},
	}
}

// planting is a graph in the making, and what is live when its operators run
// as they are drawn.
type planting struct {
	*draft
	r      *rand.Rand
	live   []plantedValue
	used   int64
	tree   bool // every result is read once
	source int  // of trees: what leaves read
}

type plantedValue struct {
	value int
	bytes int64
}

// step draws an operator and forgets what is not to be read any longer. There
// is always room for a byte.
func (g *planting) step(width int) {
	r, room := g.r, plantedRoom-g.used
	tight := room < plantedRoom/8
	count := min(1+r.IntN(3), len(g.live))
	if g.tree && !tight && len(g.live) < width && (len(g.live) == 0 || r.IntN(3) > 0) {
		count = 0
	}
	if tight {
		count = max(count, min(2, len(g.live)))
	}
	g.pick(count, tight)
	full := tight || count > 0 && r.IntN(4) == 0
	size := room
	if !full {
		size = 1 + r.Int64N(room/2)>>r.IntN(4)
	}
	reads := make([]int, 0, 3)
	for _, x := range g.live[:count] {
		reads = append(reads, x.value)
	}
	if count == 0 {
		reads = append(reads, g.source)
	}
	next := plantedValue{g.op("Conv", size, reads...), size}
	g.used += size
	for k := count - 1; k >= 0; k-- {
		// All at once if there is little room, else as many as make too many.
		if g.tree || full || g.used >= plantedRoom*7/8 || len(g.live) >= width {
			g.used -= g.live[k].bytes
			g.live = slices.Delete(g.live, k, k+1)
		}
	}
	g.live = append(g.live, next)
}

// pick brings some of what is live to the front: any, but the largest first if
// room must be made.
func (g *planting) pick(count int, largest bool) {
	for k := range count {
		at := k + g.r.IntN(len(g.live)-k)
		if largest && k == 0 {
			for i, x := range g.live {
				if x.bytes > g.live[at].bytes {
					at = i
				}
			}
		}
		g.live[k], g.live[at] = g.live[at], g.live[k]
	}
}

// last reads all that is live and fills the room.
func (g *planting) last() {
	reads := make([]int, len(g.live))
	for i, x := range g.live {
		reads[i] = x.value
	}
	g.keep(g.op("Concat", plantedRoom-g.used, reads...))
	g.optimum = plantedRoom
	g.mix(g.r)
}
