package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
	"github.com/arenalab/arenalab/strategies/bound"
)

// result holds the figures of a network and of its other forms.
type result struct {
	network *network
	main    measurement
	forms   []measurement // parallel to network.forms
}

// measurement holds the figures of a lifetime table in bytes, by row.
type measurement struct {
	params  datasets.Params // as drawn
	hash    string          // hex SHA-256 of the table as CSV
	tensors int
	ops     int
	bytes   map[string]int64
	objects map[string]int // blocks, of strategies of shared objects
}

func measureNetwork(ctx context.Context, n *network) (*result, error) {
	r := &result{network: n}
	var err error
	if r.main, err = measureForm(ctx, n, form{params: n.params}); err != nil {
		return nil, err
	}
	for _, f := range n.forms {
		m, err := measureForm(ctx, n, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.title, err)
		}
		r.forms = append(r.forms, m)
	}
	return r, nil
}

func measureForm(ctx context.Context, n *network, f form) (measurement, error) {
	b, ok := datasets.Lookup(n.builder)
	if !ok {
		return measurement{}, fmt.Errorf("no builder %s", n.builder)
	}
	p := b.Filled(f.params)
	m, err := b.Sketch(p)
	if err != nil {
		return measurement{}, err
	}
	s := m.Subgraphs[0]
	if f.edit != nil {
		f.edit(&sketch{s})
		if err := s.Link(); err != nil {
			return measurement{}, err
		}
	}
	table, err := intermediates(m, graph.Stored(s), n.outputs)
	if err != nil {
		return measurement{}, err
	}
	out, err := measure(ctx, table)
	out.params, out.ops = p, len(s.Ops)
	return out, err
}

// intermediates returns the lifetime table of the tensors that the paper
// counts: what operators make, in that order, without alignment; graph outputs
// only if asked for.
func intermediates(m *graph.Model, o graph.Order, outputs bool) (*lifetime.Table, error) {
	plain, err := graph.LookupProfile("plain")
	if err != nil {
		return nil, err
	}
	l, err := graph.NewLifetimes(m, m.Subgraphs[0], o, plain)
	if err != nil {
		return nil, err
	}
	t := l.Table
	t.Buffers = slices.DeleteFunc(t.Buffers, func(b lifetime.Buffer) bool {
		return b.Kind == lifetime.Input || b.Kind == lifetime.Output && !outputs
	})
	return t, nil
}

// measure plans the table with every strategy of the paper that there is.
func measure(ctx context.Context, t *lifetime.Table) (measurement, error) {
	out := measurement{tensors: len(t.Buffers), bytes: map[string]int64{}, objects: map[string]int{}}
	var csv bytes.Buffer
	if err := lifetime.WriteCSV(&csv, t, nil); err != nil {
		return out, err
	}
	sum := sha256.Sum256(csv.Bytes())
	out.hash = hex.EncodeToString(sum[:])
	for i := range t.Buffers {
		out.bytes[rowNaive] += t.Buffers[i].Size
	}
	out.bytes[rowLoad] = bound.Lower(t, 0).Value
	out.bytes[rowObjects] = bound.Objects(t)
	for _, s := range strategies.All() {
		name := s.Info().Name
		if !slices.Contains(strategyRows, name) {
			continue
		}
		p, err := s.Plan(ctx, t, strategies.Options{})
		if err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
		if err := lifetime.Check(t, p); err != nil {
			return out, fmt.Errorf("%s: %w", name, err)
		}
		out.bytes[name] = p.Arena
		if p.Objects == nil {
			continue
		}
		out.bytes[name], out.objects[name] = 0, len(p.Objects)
		for _, o := range p.Objects {
			out.bytes[name] += o.Size
		}
	}
	return out, nil
}
