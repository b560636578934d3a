package bench

import (
	"context"
	"fmt"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// Runtime is a profile with the planner that goes with it.
type Runtime struct {
	Profile  graph.Profile
	Strategy strategies.Strategy
}

// Change is one step on the way from one runtime to another.
type Change struct {
	What     string // the rule that changes; "" for the start
	From, To string // its values
	Bytes           // with the rule changed, and all before it
}

// Bytes is what a model takes in one runtime.
type Bytes struct {
	Arena      int64 // of all subgraphs that the main one reaches
	Bound      int64 // proven lower bounds, added up
	Planned    int64 // sum of the sizes of all buffers
	Buffers    int
	Persistent int64 // outside the arena
}

// CompareRuntimes goes from one runtime to another a rule at a time and plans
// the model anew after each, so that the changes of the arena add up to the
// whole difference, byte for byte. What a rule is charged with depends on the
// order of the steps, which is always the same. Rules that are equal in both
// are left out. Every plan is checked. A runtime that plans subgraphs apart
// takes the sum of their arenas, as all are held after allocation.
func CompareRuntimes(ctx context.Context, m *graph.Model, from, to Runtime) ([]Change, error) {
	cur := from
	b, err := measure(ctx, m, cur, strategies.Ties{})
	if err != nil {
		return nil, err
	}
	list := []Change{{To: from.Profile.Name, Bytes: b}}
	step := func(what, was, is string, ties strategies.Ties) error {
		b, err := measure(ctx, m, cur, ties)
		if err != nil {
			return fmt.Errorf("%s %s: %w", what, is, err)
		}
		list = append(list, Change{what, was, is, b})
		return nil
	}
	for _, r := range rules(to.Profile.Nested) {
		was, is := r.show(&cur.Profile), r.show(&to.Profile)
		if was == is {
			continue
		}
		r.set(&cur.Profile, &to.Profile)
		if err := step(r.name, was, is, strategies.Ties{}); err != nil {
			return nil, err
		}
	}
	a, z := from.Strategy.Info().Name, to.Strategy.Info().Name
	if a == z {
		return list, nil
	}
	byRow := strategies.Ties{Rule: strategies.TiesStored}
	if err := step("ties", "as "+a, "by row", byRow); err != nil {
		return nil, err
	}
	cur.Strategy = to.Strategy
	if err := step("planner", a, z, byRow); err != nil {
		return nil, err
	}
	return list, step("ties", "by row", "as "+z, strategies.Ties{})
}

// rule is a part of a profile that changes by itself.
type rule struct {
	name string
	show func(*graph.Profile) string
	set  func(to, from *graph.Profile)
}

// rules lists the parts of a profile in the order in which they change. Rows
// have an order of their own, and inputs can be lent, only where subgraphs are
// planned apart, so that these change first or last.
func rules(nested bool) []rule {
	flag := func(name, on, off string, field func(*graph.Profile) *bool) rule {
		return rule{name, func(p *graph.Profile) string {
			if *field(p) {
				return on
			}
			return off
		}, func(to, from *graph.Profile) { *field(to) = *field(from) }}
	}
	number := func(name string, field func(*graph.Profile) *int64) rule {
		return rule{name, func(p *graph.Profile) string { return fmt.Sprint(max(*field(p), 1)) },
			func(to, from *graph.Profile) { *field(to) = *field(from) }}
	}
	text := func(name string, field func(*graph.Profile) *string) rule {
		return rule{name, func(p *graph.Profile) string {
			if *field(p) == "" {
				return "none"
			}
			return *field(p)
		}, func(to, from *graph.Profile) { *field(to) = *field(from) }}
	}
	order := text("order of rows", func(p *graph.Profile) *string { return &p.Order })
	list := []rule{
		number("alignment", func(p *graph.Profile) *int64 { return &p.Align }),
		number("sizes rounded to", func(p *graph.Profile) *int64 { return &p.RoundSizes }),
		flag("inputs", "kept", "recycled", func(p *graph.Profile) *bool { return &p.KeepInputs }),
		flag("unread results", "kept", "freed", func(p *graph.Profile) *bool { return &p.KeepUnread }),
		text("in-place", func(p *graph.Profile) *string { return &p.InPlace }),
		text("working memory", func(p *graph.Profile) *string { return &p.Kernels }),
		flag("variables", "in the arena", "apart", func(p *graph.Profile) *bool { return &p.Variables }),
		flag("subgraphs", "one plan", "a plan each", func(p *graph.Profile) *bool { return &p.Nested }),
		flag("unused tensors", "take room", "do not", func(p *graph.Profile) *bool { return &p.KeepUnused }),
		flag("run-time shapes", "not planned", "as stored", func(p *graph.Profile) *bool { return &p.StaticOnly }),
		flag("offline plan", "obeyed", "ignored", func(p *graph.Profile) *bool { return &p.Offline }),
		flag("entry", "a step", "no step", func(p *graph.Profile) *bool { return &p.EntryStep }),
		flag("exit", "a step", "no step", func(p *graph.Profile) *bool { return &p.ExitStep }),
	}
	lends := flag("inputs of callees", "lent", "copied", func(p *graph.Profile) *bool { return &p.Lends })
	if nested {
		return append([]rule{order, lends}, list...)
	}
	return append(list, order, lends)
}

// measure plans all that the main subgraph reaches and adds it up.
func measure(ctx context.Context, m *graph.Model, r Runtime, ties strategies.Ties) (Bytes, error) {
	var sum Bytes
	for _, s := range reached(m, r.Profile.Nested) {
		l, err := graph.NewLifetimes(m, s, graph.Stored(s), r.Profile)
		if err != nil {
			return sum, err
		}
		p, err := r.Strategy.Plan(ctx, l.Table, strategies.Options{Ties: ties})
		if err == nil {
			err = lifetime.Check(l.Table, p)
		}
		if err != nil {
			return sum, fmt.Errorf("%s: subgraph %d: %s: %w", m.Name, s.Index, r.Strategy.Info().Name, err)
		}
		b := bound.Lower(l.Table, 0)
		if err := lifetime.CheckBound(l.Table, b); err != nil {
			return sum, err
		}
		sum.Arena += p.Arena
		sum.Bound += b.Value
		sum.Planned += l.Table.Naive()
		sum.Buffers += len(l.Table.Buffers)
		sum.Persistent += l.PersistentBytes
	}
	return sum, nil
}

// reached returns the subgraphs that are planned apart when the main one runs:
// those it reaches by calls, or itself alone if a plan holds what it calls.
func reached(m *graph.Model, nested bool) []*graph.Subgraph {
	if len(m.Subgraphs) == 0 || nested {
		return m.Subgraphs[:min(1, len(m.Subgraphs))]
	}
	seen := map[int]bool{0: true}
	list := []*graph.Subgraph{m.Subgraphs[0]}
	for i := 0; i < len(list); i++ {
		for k := range list[i].Ops {
			for _, c := range list[i].Ops[k].Callees {
				if !seen[c] {
					seen[c] = true
					list = append(list, m.Subgraphs[c])
				}
			}
		}
	}
	return list
}
