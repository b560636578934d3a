package strategies

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/arenalab/arenalab/lifetime"
)

// WithTies is s with ties broken by the given rule, under the name NAME/TIES.
func WithTies(s Strategy, ties Ties) Strategy { return tied{s, ties} }

type tied struct {
	Strategy
	ties Ties
}

func (v tied) Info() Info {
	i := v.Strategy.Info()
	i.Name += "/" + v.ties.String()
	i.Summary += ", ties " + v.ties.String()
	return i
}

func (v tied) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	o.Ties = v.ties
	return v.Strategy.Plan(ctx, t, o)
}

// Shuffled is s on the same table with its rows in a random order, under the
// name NAME/rows:SEED. What depends on the order of the rows shows.
func Shuffled(s Strategy, seed uint64) Strategy { return shuffled{s, seed} }

type shuffled struct {
	Strategy
	seed uint64
}

func (v shuffled) Info() Info {
	i := v.Strategy.Info()
	i.Name += fmt.Sprintf("/rows:%d", v.seed)
	i.Summary += fmt.Sprintf(", rows shuffled by seed %d", v.seed)
	return i
}

func (v shuffled) Plan(ctx context.Context, t *lifetime.Table, o Options) (*lifetime.Plan, error) {
	perm := rand.New(rand.NewPCG(v.seed, 1)).Perm(len(t.Buffers))
	mixed := &lifetime.Table{Name: t.Name, Buffers: make([]lifetime.Buffer, len(t.Buffers))}
	for i, j := range perm {
		mixed.Buffers[i] = t.Buffers[j]
	}
	p, err := v.Strategy.Plan(ctx, mixed, o)
	if err != nil {
		return nil, err
	}
	offsets := make([]int64, len(t.Buffers))
	for i, j := range perm {
		offsets[j] = p.Offsets[i]
	}
	back := *p
	back.Offsets, back.Bound, back.Objects = offsets, nil, nil // both name rows by position
	return &back, nil
}
