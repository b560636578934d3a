package strategies

import (
	"testing"

	"pgregory.net/rapid"
)

// The sets of objects in use answer what a look at every use answers.
func TestBusy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(2, 120).Draw(t, "steps")
		items := make([]item, rapid.IntRange(1, 300).Draw(t, "items"))
		for k := range items {
			lower := rapid.IntRange(0, steps-2).Draw(t, "lower")
			upper := rapid.IntRange(lower+1, min(steps-1, lower+9)).Draw(t, "upper")
			items[k].lower, items[k].upper = int64(lower), int64(upper)
		}
		b := newBusy(items, steps)
		var uses [][]lives // by object
		for _, it := range items {
			b.ask(it.lower, it.upper)
			nearest, best := int64(unreached), int32(-1)
			for o, list := range uses {
				free, dist := true, int64(unreached)
				for _, u := range list {
					switch {
					case u.upper <= it.lower:
						dist = min(dist, it.lower-u.upper+1)
					case it.upper <= u.lower:
						dist = min(dist, u.lower-it.upper+1)
					default:
						free = false
					}
				}
				if b.free(int32(o)) != free {
					t.Fatalf("object %d with %v in [%d, %d): free is not %v", o, list, it.lower, it.upper, free)
				}
				if free && dist < nearest {
					nearest, best = dist, int32(o)
				}
			}
			if dist, object := b.nearest(it.lower, it.upper); dist != nearest || object != best {
				t.Fatalf("object %d is %d from [%d, %d), want %d, %d", object, dist, it.lower, it.upper, best, nearest)
			}
			if best < 0 || rapid.Bool().Draw(t, "fresh") {
				best = int32(len(uses))
				uses = append(uses, nil)
				b.grow(len(uses))
			}
			uses[best] = append(uses[best], lives{it.lower, it.upper})
			b.take(best, it.lower, it.upper)
		}
	})
}
