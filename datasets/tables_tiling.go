package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/arenalab/arenalab/lifetime"
)

// side is the number of steps and of bytes of the arena that tilings fill.
const side = 1 << 16

// rect is a tile: time across, addresses up.
type rect struct{ left, right, bottom, top int64 }

func (t rect) area() int64 { return (t.right - t.left) * (t.top - t.bottom) }

// tiler cuts tiles. The shares are percentages.
type tiler struct {
	r         *rand.Rand
	pinwheels int  // of the cuts that are pinwheels
	times     int  // of the other cuts that are across time
	balanced  bool // instead: cuts are across the longer side
	tiles     []rect
}

func guillotine(r *rand.Rand, n int) *Synthetic {
	return tiling(&tiler{r: r, times: 50}, n)
}

func strips(r *rand.Rand, n int) *Synthetic {
	return tiling(&tiler{r: r, times: 20}, n)
}

// pinwheel starts with a pinwheel, so that there is always one.
func pinwheel(r *rand.Rand, n int) *Synthetic {
	t := &tiler{r: r, pinwheels: 50, times: 50, tiles: []rect{{0, side, 0, side}}}
	for !t.pinwheel(0) {
	}
	return tiling(t, n)
}

func balanced(r *rand.Rand, n int) *Synthetic {
	return tiling(&tiler{r: r, balanced: true}, n)
}

// holed cuts more tiles than are wanted, and drops some of those that are not
// live at one step. Should too many be, nothing is dropped.
func holed(r *rand.Rand, n int) *Synthetic {
	whole := pinwheel(r, n+n*3/10)
	at := r.Int64N(side)
	drop := len(whole.Table.Buffers) - n
	tab := &lifetime.Table{}
	var offsets []int64
	for i, b := range whole.Table.Buffers {
		if drop > 0 && (at < b.Lower || b.Upper <= at) {
			drop--
			continue
		}
		b.Name = fmt.Sprintf("b%d", len(offsets))
		tab.Buffers = append(tab.Buffers, b)
		offsets = append(offsets, whole.Plan.Offsets[i])
	}
	if drop > 0 {
		return pinwheel(r, n)
	}
	return proven(tab, offsets)
}

// tiling cuts the arena into n tiles, and makes each a buffer, in random order.
func tiling(t *tiler, n int) *Synthetic {
	t.fill(n)
	t.r.Shuffle(n, func(i, j int) { t.tiles[i], t.tiles[j] = t.tiles[j], t.tiles[i] })
	tab := &lifetime.Table{Buffers: make([]lifetime.Buffer, n)}
	offsets := make([]int64, n)
	for i, tile := range t.tiles {
		tab.Buffers[i] = lifetime.Buffer{
			Name: fmt.Sprintf("b%d", i), Size: tile.top - tile.bottom, Lower: tile.left, Upper: tile.right,
		}
		offsets[i] = tile.bottom
	}
	return proven(tab, offsets)
}

// fill cuts the arena into n tiles.
func (t *tiler) fill(n int) {
	if len(t.tiles) == 0 {
		t.tiles = []rect{{0, side, 0, side}}
	}
	for len(t.tiles) < n {
		i := t.large()
		if n-len(t.tiles) >= 4 && t.r.IntN(100) < t.pinwheels {
			t.pinwheel(i)
		} else {
			t.cut(i)
		}
	}
}

// large returns the largest of four random tiles.
func (t *tiler) large() int {
	best := t.r.IntN(len(t.tiles))
	for range 3 {
		if i := t.r.IntN(len(t.tiles)); t.tiles[i].area() > t.tiles[best].area() {
			best = i
		}
	}
	return best
}

// cut cuts tile i in two at a random place, if it is not too thin.
func (t *tiler) cut(i int) {
	a := t.tiles[i]
	b := a
	across := a.right-a.left > a.top-a.bottom
	if !t.balanced {
		across = t.r.IntN(100) < t.times
	}
	if across {
		if a.right-a.left < 2 {
			return
		}
		a.right = a.left + 1 + t.r.Int64N(a.right-a.left-1)
		b.left = a.right
	} else {
		if a.top-a.bottom < 2 {
			return
		}
		a.top = a.bottom + 1 + t.r.Int64N(a.top-a.bottom-1)
		b.bottom = a.top
	}
	t.tiles[i] = a
	t.tiles = append(t.tiles, b)
}

// pinwheel cuts tile i into four around a fifth, turning either way, and
// reports whether the tile is large enough.
func (t *tiler) pinwheel(i int) bool {
	a := t.tiles[i]
	x1, x2, okX := t.two(a.left, a.right)
	y1, y2, okY := t.two(a.bottom, a.top)
	if !okX || !okY {
		return false
	}
	t.tiles[i] = rect{x1, x2, y1, y2}
	if t.r.IntN(2) == 0 {
		t.tiles = append(t.tiles,
			rect{a.left, x2, a.bottom, y1}, rect{x2, a.right, a.bottom, y2},
			rect{x1, a.right, y2, a.top}, rect{a.left, x1, y1, a.top})
	} else {
		t.tiles = append(t.tiles,
			rect{x1, a.right, a.bottom, y1}, rect{x2, a.right, y1, a.top},
			rect{a.left, x2, y2, a.top}, rect{a.left, x1, a.bottom, y2})
	}
	return true
}

// two draws two different numbers strictly between low and high, ascending.
func (t *tiler) two(low, high int64) (a, b int64, ok bool) {
	if high-low < 3 {
		return 0, 0, false
	}
	a = low + 1 + t.r.Int64N(high-low-1)
	b = low + 1 + t.r.Int64N(high-low-2)
	if b >= a {
		b++
	}
	return min(a, b), max(a, b), true
}
