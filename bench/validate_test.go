package bench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// views is a model whose operators have kernels, and one that has none if
// custom is set.
func views(t *testing.T, custom bool) *graph.Model {
	t.Helper()
	tensor := func(i int, name string) graph.Tensor {
		return graph.Tensor{Index: i, Name: name, Type: graph.Float32, Shape: []int32{2, 3}, Bytes: 24}
	}
	s := &graph.Subgraph{
		Tensors: []graph.Tensor{tensor(0, "in"), tensor(1, "a"), tensor(2, "b"), tensor(3, "out")},
		Inputs:  []int{0}, Outputs: []int{3},
		Ops: []graph.Op{
			{Index: 0, Code: graph.OpReshape, Inputs: []int{0}, Outputs: []int{1}},
			{Index: 1, Code: graph.OpReshape, Inputs: []int{1}, Outputs: []int{2}},
			{Index: 2, Code: graph.OpReshape, Inputs: []int{2}, Outputs: []int{3}},
		},
	}
	if custom {
		s.Ops[1].Code, s.Ops[1].Custom = graph.OpCustom, "Mine"
	}
	if err := s.Link(); err != nil {
		t.Fatal(err)
	}
	return &graph.Model{Name: "views", Subgraphs: []*graph.Subgraph{s}}
}

// TestValidations: the record says how a plan was proven safe, and why no
// better.
func TestValidations(t *testing.T) {
	litert, err := strategies.Lookup("litert,naive")
	if err != nil {
		t.Fatal(err)
	}
	table := datasets.Input{Name: "table", Table: &lifetime.Table{Buffers: []lifetime.Buffer{{Size: 3, Upper: 1}, {Size: 3, Upper: 1}}}}
	for _, test := range []struct {
		in       datasets.Input
		validate string
		want     string
		warning  string
	}{
		{datasets.Input{Name: "m", Model: views(t, false)}, "", "kernels", ""},
		{datasets.Input{Name: "m", Model: views(t, false)}, "kernels", "kernels", ""},
		{datasets.Input{Name: "m", Model: views(t, false)}, "symbolic", "symbolic", ""},
		{datasets.Input{Name: "m", Model: views(t, false)}, "check", "check", ""},
		{datasets.Input{Name: "m", Model: views(t, true)}, "", "symbolic", "operators without a kernel: CUSTOM:Mine"},
		{table, "", "symbolic", ""},
		{table, "check", "check", ""},
	} {
		cfg := Config{Strategies: litert, Reps: 1, Validate: test.validate}
		cells := 0
		err := Run(context.Background(), cfg, slices.Values([]datasets.Input{test.in}), func(c *Cell) error {
			cells++
			if !c.Safe() || c.Validated != test.want {
				t.Errorf("%s, -validate %q: %s is validated %q (%s), want %q", test.in.Name, test.validate, c.Strategy, c.Validated, c.Error, test.want)
			}
			if got := strings.Join(c.Warnings, "\n"); test.warning != "" && !strings.Contains(got, test.warning) || test.warning == "" && strings.Contains(got, "validated") {
				t.Errorf("%s, -validate %q: warnings %q, want %q", test.in.Name, test.validate, got, test.warning)
			}
			return nil
		})
		if err != nil || cells != 2 {
			t.Errorf("%s, -validate %q: %d cells, error %v", test.in.Name, test.validate, cells, err)
		}
	}
	err = Run(context.Background(), Config{Strategies: litert, Validate: "prayer"}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), `validation "prayer" is none of [kernels symbolic check]`) {
		t.Errorf("got %v", err)
	}
}
