package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// maxHighlights is how many strategies a figure tells apart. Beyond it the eye
// finds none: the rest is drawn in grey, without names.
const maxHighlights = 10

// highlights picks the strategies that a figure names: all if they are few,
// else those that have a colour of their own and the best of the others.
func (in *instances) highlights() map[string]bool {
	named := map[string]bool{}
	rest := slices.Clone(in.series)
	slices.SortStableFunc(rest, func(a, b *series) int { return cmp.Compare(a.geomean, b.geomean) })
	if len(rest) > maxHighlights {
		for _, s := range rest {
			if _, ok := looks[s.strategy]; ok {
				named[s.strategy] = true
			}
		}
	}
	for _, s := range rest {
		if len(named) >= maxHighlights {
			break
		}
		named[s.strategy] = true
	}
	return named
}

// faint is the line of strategies that are not named.
func faint() draw.LineStyle {
	return draw.LineStyle{Color: faintColor, Width: vg.Points(0.7)}
}
