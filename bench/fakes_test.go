package bench_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
)

// fake is a strategy made of a function.
type fake struct {
	name string
	plan func(ctx context.Context, t *lifetime.Table) (*lifetime.Plan, error)
}

func (f fake) Info() strategies.Info { return strategies.Info{Name: f.name, Title: f.name} }

func (f fake) Plan(ctx context.Context, t *lifetime.Table, _ strategies.Options) (*lifetime.Plan, error) {
	return f.plan(ctx, t)
}

// stack puts every buffer above the one before it.
func stack(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
	offsets := make([]int64, len(t.Buffers))
	var top int64
	for i := range t.Buffers {
		offsets[i] = lifetime.AlignUp(top, t.Buffers[i].Alignment())
		top = offsets[i] + t.Buffers[i].Size
	}
	return lifetime.NewPlan(t, offsets), nil
}

// lowest puts every buffer at the lowest offset that is free, in row order.
func lowest(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
	offsets := make([]int64, len(t.Buffers))
	for i := range t.Buffers {
		b := &t.Buffers[i]
	search:
		for {
			for j := range i {
				c := &t.Buffers[j]
				if b.Overlaps(c) && offsets[i] < offsets[j]+c.Size && offsets[j] < offsets[i]+b.Size {
					offsets[i] = lifetime.AlignUp(offsets[j]+c.Size, b.Alignment())
					continue search
				}
			}
			break
		}
	}
	return lifetime.NewPlan(t, offsets), nil
}

func pileUp(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
	return lifetime.NewPlan(t, make([]int64, len(t.Buffers))), nil
}

var (
	stackUp   = fake{"stack", stack}
	lowestFit = fake{"lowest", lowest}
	unsafe    = fake{"unsafe", pileUp}
	erring    = fake{"erring", func(context.Context, *lifetime.Table) (*lifetime.Plan, error) {
		return nil, errors.New("no luck")
	}}
	panicking = fake{"panicking", func(_ context.Context, t *lifetime.Table) (*lifetime.Plan, error) {
		panic(fmt.Sprintf("%d buffers are too many", len(t.Buffers)))
	}}
	silent = fake{"silent", func(context.Context, *lifetime.Table) (*lifetime.Plan, error) { return nil, nil }}
	slow   = fake{"slow", func(ctx context.Context, _ *lifetime.Table) (*lifetime.Plan, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
)

// deaf is a strategy that runs until it is released, whatever its context
// says.
func deaf(t *testing.T) fake {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return fake{"deaf", func(context.Context, *lifetime.Table) (*lifetime.Plan, error) {
		<-release
		return nil, errors.New("released")
	}}
}

// table returns rows of lower, upper, size.
func table(rows ...[3]int64) *lifetime.Table {
	t := new(lifetime.Table)
	for i, r := range rows {
		t.Buffers = append(t.Buffers, lifetime.Buffer{
			Name: fmt.Sprintf("b%d", i), Lower: r[0], Upper: r[1], Size: r[2], Align: 1,
		})
	}
	return t
}

// staircase is a table of n buffers of which two neighbours are live at once.
func staircase(n int) *lifetime.Table {
	var rows [][3]int64
	for i := range int64(n) {
		rows = append(rows, [3]int64{i, i + 2, 100 + 7*(i%5)})
	}
	return table(rows...)
}

func tableInput(name string, t *lifetime.Table) datasets.Input {
	t.Name = name
	return datasets.Input{Name: name, Path: name + ".csv", Hash: "hash of " + name, Table: t}
}

// chain is a subgraph input → op → … → op, every tensor of 64 bytes.
func chain(t *testing.T, index, ops int) *graph.Subgraph {
	t.Helper()
	s := &graph.Subgraph{Index: index, Inputs: []int{0}, Outputs: []int{ops}}
	for i := range ops + 1 {
		s.Tensors = append(s.Tensors, graph.Tensor{
			Index: i, Name: fmt.Sprintf("t%d", i), Type: graph.Int8, Shape: []int32{64}, Bytes: 64,
		})
		if i > 0 {
			s.Ops = append(s.Ops, graph.Op{Index: i - 1, Inputs: []int{i - 1}, Outputs: []int{i}})
		}
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return s
}

func modelInput(name string, subgraphs ...*graph.Subgraph) datasets.Input {
	m := &graph.Model{Name: name, Hash: "hash of " + name, Subgraphs: subgraphs}
	return datasets.Input{Name: name, Path: name + ".tflite", Hash: m.Hash, Model: m}
}

// storedOrder keeps the order of the file.
type storedOrder struct{}

func (storedOrder) Info() reorder.Info { return reorder.Info{Name: "stored"} }

func (storedOrder) Order(_ context.Context, m *graph.Memory, _ reorder.Options) (graph.Order, error) {
	return graph.Stored(m.Subgraph), nil
}

// brokenOrder runs everything backwards.
type brokenOrder struct{}

func (brokenOrder) Info() reorder.Info { return reorder.Info{Name: "backwards"} }

func (brokenOrder) Order(_ context.Context, m *graph.Memory, _ reorder.Options) (graph.Order, error) {
	o := graph.Stored(m.Subgraph)
	slices.Reverse(o.Ops)
	return o, nil
}

var plainProfile = graph.Profile{Name: "plain", Align: 1, RoundSizes: 1}

// sizeOnly is a configuration with short times and few measurements.
func sizeOnly(s ...strategies.Strategy) bench.Config {
	return bench.Config{
		Strategies: s,
		Orders:     []reorder.Reorderer{storedOrder{}},
		Profiles:   []graph.Profile{plainProfile},
		Reps:       1,
		Workers:    1,
		Timeout:    20 * time.Millisecond,
		Grace:      20 * time.Millisecond,
		Tool:       "test",
	}
}

func seq(inputs ...datasets.Input) iter.Seq[datasets.Input] { return slices.Values(inputs) }

// run returns the cells of a run that is expected to succeed.
func run(t *testing.T, cfg bench.Config, inputs ...datasets.Input) []*bench.Cell {
	t.Helper()
	var cells []*bench.Cell
	err := bench.Run(context.Background(), cfg, seq(inputs...), func(c *bench.Cell) error {
		cells = append(cells, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return cells
}
