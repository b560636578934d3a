package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// With few states a level the soft budget decides: an order that is said to
// have the least peak has it, some are found below the first budget only, and
// some not at all.
func TestSoftBudgets(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	exact, halved, open := 0, 0, 0
	for range 600 {
		m := need{n: 8, reads: 2, most: 9, inPlace: true}.draw(r)
		width := 2 + r.IntN(20)
		ops, least := divide(m, newBudget(t.Context(), Options{}, -1), width)
		if !least {
			open++
			continue
		}
		exact++
		isExact(t, m, ops)
		for d := range divisions(m) {
			l := levels{part: newPart(m, storedRange(d), func(op int) bool { return op < d.from }), budget: newBudget(t.Context(), Options{}, -1), width: width}
			_, hard := l.known()
			if _, result := l.within(hard); result == tooMany {
				halved++
			}
		}
	}
	if exact < 100 || halved < 20 || open < 20 {
		t.Errorf("%d exact, %d by a lower budget, %d open", exact, halved, open)
	}
}

func storedRange(d span) (list []int) {
	for i := d.from; i < d.to; i++ {
		list = append(list, i)
	}
	return list
}

// Operators that are ordered to all others stand alone, those between stay
// together.
func TestDivisions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	alone := 0
	for range 600 {
		m := need{n: r.IntN(12), reads: 2, most: 3}.draw(r)
		s := newModules(m)
		var want, got []span
		from := 0
		for i := range m.Ops {
			before, after := s.of(s.before, i), s.of(s.after, i)
			if common(before, before)+common(after, after) < len(m.Ops)-1 {
				continue
			}
			alone++
			if from < i {
				want = append(want, span{from, i})
			}
			want = append(want, span{i, i + 1})
			from = i + 1
		}
		if from < len(m.Ops) {
			want = append(want, span{from, len(m.Ops)})
		}
		for d := range divisions(m) {
			got = append(got, d)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("divisions %v, want %v\n%v", got, want, m.Before)
		}
	}
	if alone < 100 {
		t.Errorf("only %d operators stand alone", alone)
	}
}
