package reorder

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"pgregory.net/rapid"
)

var profiles = []graph.Profile{{}, {RoundSizes: 16}, {KeepInputs: true}, {KeepUnread: true}, {KeepInputs: true, KeepUnread: true}}

// Every reorderer returns an order that can be executed, under its own name,
// and the same one again.
func TestOrdersAreValid(t *testing.T) {
	for _, r := range All() {
		t.Run(r.Info().Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := randomSubgraph(t, 40)
				m, o := memoryOf(t, s, rapid.SampledFrom(profiles).Draw(t, "profile")), Options{Steps: 300}
				order, err := r.Order(t.Context(), m, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.CheckOrder(order); err != nil {
					t.Fatal(err)
				}
				if order.Name != r.Info().Name {
					t.Fatalf("order is called %q", order.Name)
				}
				again, err := r.Order(t.Context(), m, o)
				if err != nil || !slices.Equal(again.Ops, order.Ops) {
					t.Fatalf("%v, then %v (%v)", order.Ops, again.Ops, err)
				}
			})
		})
	}
}

// Greedy by bytes takes at every step the operator that its rule names, worked
// out anew from what is live.
func TestGreedyBytesFollowsItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSubgraph(t, 25)
		p := rapid.SampledFrom(profiles).Draw(t, "profile")
		order, err := greedyBytes{}.Order(t.Context(), memoryOf(t, s, p), Options{})
		if err != nil {
			t.Fatal(err)
		}
		done := make([]bool, len(s.Ops))
		for at, chosen := range order.Ops {
			best, found := entry{}, false
			for i := range s.Ops {
				blocked := slices.ContainsFunc(s.Before[i], func(k int) bool { return !done[k] })
				if done[i] || blocked {
					continue
				}
				if e := (entry{netBytes(s, p, done, i), outBytes(s, p, i), i}); !found || e.before(best) {
					best, found = e, true
				}
			}
			if chosen != best.op {
				t.Fatalf("step %d runs operator %d, the rule names %d", at, chosen, best.op)
			}
			done[chosen] = true
		}
	})
}

func outBytes(s *graph.Subgraph, p graph.Profile, i int) (sum int64) {
	for _, t := range s.Ops[i].Outputs {
		sum += p.Round(s.Tensors[t].Bytes)
	}
	return sum
}

// netBytes is the live bytes after operator i less those before it.
func netBytes(s *graph.Subgraph, p graph.Profile, done []bool, i int) int64 {
	after := slices.Clone(done)
	after[i] = true
	return liveBytes(s, p, after) - liveBytes(s, p, done)
}

func liveBytes(s *graph.Subgraph, p graph.Profile, done []bool) (sum int64) {
	for t := range s.Tensors {
		tensor := &s.Tensors[t]
		input := slices.Contains(s.Inputs, t)
		if tensor.Constant || tensor.Variable || !input && (s.Producer[t] < 0 || !done[s.Producer[t]]) {
			continue
		}
		unread := len(s.Consumers[t]) == 0
		wanted := slices.ContainsFunc(s.Consumers[t], func(k int) bool { return !done[k] })
		if wanted || slices.Contains(s.Outputs, t) || input && (p.KeepInputs || unread) || !input && unread && p.KeepUnread {
			sum += p.Round(tensor.Bytes)
		}
	}
	return sum
}

// Two branches of two operators each, joined by the last:
//
//	0 ─op0─ 1 ─op2─ 3 ─┐
//	0 ─op1─ 2 ─op3─ 4 ─op4─ 5
func branches(bytes ...int64) *graph.Subgraph {
	return chainSubgraph(bytes, [][2][]int{
		{{0}, {1}}, {{0}, {2}}, {{1}, {3}}, {{2}, {4}}, {{3, 4}, {5}},
	}, 5)
}

func TestOrders(t *testing.T) {
	tests := []struct {
		name  string
		order string
		s     *graph.Subgraph
		p     graph.Profile
		want  []int
	}{
		{"as stored", "stored", branches(1, 1, 1, 1, 1, 1), graph.Profile{}, []int{0, 1, 2, 3, 4}},
		{"a branch at a time", "depth-first", branches(1, 1, 1, 1, 1, 1), graph.Profile{}, []int{0, 2, 1, 3, 4}},
		{"both at once", "breadth-first", branches(1, 1, 1, 1, 1, 1), graph.Profile{}, []int{0, 1, 2, 3, 4}},
		// Operator 1 makes 2 bytes and then 4 of them 1; operator 0 makes 9.
		{"cheap branch first", "greedy-bytes", branches(8, 9, 2, 9, 1, 1), graph.Profile{}, []int{1, 3, 0, 2, 4}},
		// Rounded up to 16 all are equal, so the stored order decides.
		{"rounded", "greedy-bytes", branches(8, 9, 2, 9, 1, 1), graph.Profile{RoundSizes: 16}, []int{0, 1, 2, 3, 4}},
		// Both make 4 bytes net; the first frees the input but makes more.
		{
			"less while it runs", "greedy-bytes",
			chainSubgraph([]int64{2, 6, 4, 3, 1}, [][2][]int{{{0}, {1}}, {{}, {2}}, {{1, 2}, {4}}}, 4),
			graph.Profile{}, []int{1, 0, 2},
		},
		{
			"input kept", "greedy-bytes",
			chainSubgraph([]int64{2, 5, 4, 3, 1}, [][2][]int{{{0}, {1}}, {{}, {2}}, {{1, 2}, {4}}}, 4),
			graph.Profile{KeepInputs: true}, []int{1, 0, 2},
		},
		{
			"input freed", "greedy-bytes",
			chainSubgraph([]int64{2, 5, 4, 3, 1}, [][2][]int{{{0}, {1}}, {{}, {2}}, {{1, 2}, {4}}}, 4),
			graph.Profile{}, []int{0, 1, 2},
		},
	}
	for _, test := range tests {
		t.Run(test.order+"/"+test.name, func(t *testing.T) {
			if err := test.s.Link(); err != nil {
				t.Fatal(err)
			}
			list, err := Lookup(test.order)
			if err != nil {
				t.Fatal(err)
			}
			got, err := list[0].Order(t.Context(), memoryOf(t, test.s, test.p), Options{})
			if err != nil || !slices.Equal(got.Ops, test.want) {
				t.Errorf("got %v, %v, want %v", got.Ops, err, test.want)
			}
		})
	}
}

func TestOrderErrors(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	long := chainSubgraph([]int64{1, 1}, [][2][]int{{{0}, {1}}}, 1)
	for i := range 3 * checkEvery {
		long.Tensors = append(long.Tensors, graph.Tensor{Index: i + 2, Bytes: 1})
		long.Ops = append(long.Ops, graph.Op{Index: i + 1, Inputs: []int{i + 1}, Outputs: []int{i + 2}})
	}
	if err := long.Link(); err != nil {
		t.Fatal(err)
	}
	m := memoryOf(t, long, graph.Profile{})
	for _, r := range builtin() {
		if _, err := r.Order(t.Context(), nil, Options{}); err == nil {
			t.Errorf("%s: no error for the memory of no subgraph", r.Info().Name)
		}
		if _, err := r.Order(canceled, m, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancel", r.Info().Name, err)
		}
		if r.Info().Name == "stored" {
			continue // takes no time
		}
		order, err := r.Order(&countdown{t.Context(), 2}, m, Options{})
		if slices.Contains(searches, r.Info().Name) { // gives the best it has
			if err == nil {
				err = long.CheckOrder(order)
			}
			if err != nil {
				t.Errorf("%s: error %v after cancel on the way", r.Info().Name, err)
			}
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancel on the way", r.Info().Name, err)
		}
	}
}

// searches are the names of those that have an order to give at any time.
var searches = []string{
	"annealing", "beam", "exact", "hmcos", "kayaaslan", "serenity", "series-parallel", "tflite-tools",
}

// countdown is done after it was looked at a few times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestLookup(t *testing.T) {
	list, err := Lookup("*-first,stored")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, r.Info().Name)
	}
	if want := []string{"breadth-first", "depth-first", "stored"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err = Lookup("depthfirst")
	if err == nil || !strings.Contains(err.Error(), `unknown order "depthfirst", did you mean "depth-first"?`) {
		t.Errorf("error %v", err)
	}
}

func TestInfo(t *testing.T) {
	last := ""
	for _, r := range All() {
		i := r.Info()
		if i.Name <= last {
			t.Errorf("%q after %q", i.Name, last)
		}
		last = i.Name
		for _, text := range []string{i.Title, i.Summary, i.Reference, i.Complexity} {
			if text == "" || strings.ContainsAny(text, "\n\t") {
				t.Errorf("%s: text %q", i.Name, text)
			}
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	for _, name := range []string{"stored", "Not Kebab", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("name %q was registered", name)
				}
			}()
			Register(named{name})
		}()
	}
}

type named struct{ name string }

func (n named) Info() Info { return Info{Name: n.name} }
func (n named) Order(context.Context, *graph.Memory, Options) (graph.Order, error) {
	return graph.Order{}, nil
}

func BenchmarkOrder(b *testing.B) {
	s := chainSubgraph([]int64{1, 1}, [][2][]int{{{0}, {1}}}, 1)
	for i := range 10000 {
		s.Tensors = append(s.Tensors, graph.Tensor{Index: i + 2, Bytes: int64(i * 7919 % 997)})
		s.Ops = append(s.Ops, graph.Op{Index: i + 1, Inputs: []int{i + 1, i / 3 * 2, i / 7 * 5}, Outputs: []int{i + 2}})
	}
	if err := s.Link(); err != nil {
		b.Fatal(err)
	}
	m := memoryOf(b, s, graph.Profile{})
	for _, r := range builtin() {
		b.Run(r.Info().Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Order(b.Context(), m, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
