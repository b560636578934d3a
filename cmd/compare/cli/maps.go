package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/bench"
)

// autoMaps is how many tables get arena maps unless all are asked for.
const autoMaps = 24

// mapPicker keeps, for each table of the run, the two plans worth drawing: the
// smallest arena, and what the runtime's own planner makes of it (or, where no
// strategy bears the profile's name, the largest arena that shares memory).
type mapPicker struct {
	limit int
	units []*mapUnit
	last  map[unitKey]*mapUnit
}

type unitKey struct{ model, order, profile string }

type mapUnit struct{ best, other *bench.Cell }

// newMapPicker returns a picker for the given value of -plots.
func newMapPicker(mode string) *mapPicker {
	p := &mapPicker{last: map[unitKey]*mapUnit{}}
	switch mode {
	case "auto":
		p.limit = autoMaps
	case "all":
		p.limit = -1
	}
	return p
}

func (p *mapPicker) add(c *bench.Cell) {
	if p.limit == 0 || !planned(c) {
		return
	}
	c = &bench.Cell{Record: c.Record, Table: c.Table, Plan: c.Plan} // the rest may go
	key := unitKey{c.Record.Model, c.Record.Order, c.Profile}
	u := p.last[key]
	if u == nil {
		u = &mapUnit{}
		p.last[key] = u
		p.units = append(p.units, u)
	}
	if u.best == nil || c.ArenaBytes < u.best.ArenaBytes {
		u.best = c
	}
	if u.prefers(c) {
		u.other = c
	}
}

// prefers reports whether c is the better plan to set beside the best.
func (u *mapUnit) prefers(c *bench.Cell) bool {
	switch {
	case c.Strategy == "naive":
		return false
	case u.other == nil || c.Strategy == c.Profile:
		return true
	}
	return u.other.Strategy != c.Profile && c.ArenaBytes > u.other.ArenaBytes
}

// waste is the bytes between the two plans of a unit, relative to the best.
func (u *mapUnit) waste() float64 {
	if u.other == nil || u.best.ArenaBytes == 0 {
		return 0
	}
	return float64(u.other.ArenaBytes-u.best.ArenaBytes) / float64(u.best.ArenaBytes)
}

// pick returns the cells to draw, those of the tables with most to gain first.
func (p *mapPicker) pick() []*bench.Cell {
	units := slices.Clone(p.units)
	slices.SortStableFunc(units, func(a, b *mapUnit) int {
		switch wa, wb := a.waste(), b.waste(); {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		}
		return 0
	})
	if p.limit > 0 && len(units) > p.limit {
		units = units[:p.limit]
	}
	var cells []*bench.Cell
	for _, u := range units {
		cells = append(cells, u.best)
		if u.other != nil && u.other.ArenaBytes != u.best.ArenaBytes {
			cells = append(cells, u.other)
		}
	}
	return cells
}

// mapName is the base of the file of an arena map, fit for any file system.
func mapName(c *bench.Cell) string {
	name := fmt.Sprintf("%s.%s.%s.%s", c.Record.Model, c.Profile, c.Record.Order, c.Strategy)
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.#", r):
			return r
		}
		return '_'
	}, name)
}
