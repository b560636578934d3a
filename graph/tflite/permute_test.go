package tflite_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// shuffled returns an order that the subgraph allows, and numbers for its
// tensors.
func shuffled(r *rand.Rand, s *graph.Subgraph) graph.Order {
	o := graph.Order{Name: "shuffled", Numbers: r.Perm(len(s.Tensors))}
	left, next := make([]int, len(s.Ops)), make([][]int, len(s.Ops))
	var ready []int
	for i, before := range s.Before {
		left[i] = len(before)
		for _, p := range before {
			next[p] = append(next[p], i)
		}
		if len(before) == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		k := r.IntN(len(ready))
		i := ready[k]
		ready = slices.Delete(ready, k, k+1)
		o.Ops = append(o.Ops, i)
		for _, n := range next[i] {
			if left[n]--; left[n] == 0 {
				ready = append(ready, n)
			}
		}
	}
	return o
}

// TestPermuteModels writes real models in other orders: the tables that their
// files give as they are stored must be those that the orders gave before.
func TestPermuteModels(t *testing.T) {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no models to put into other orders")
	}
	files, _ := filepath.Glob(filepath.Join(root, "models", "*.tflite"))
	r := rand.New(rand.NewPCG(2, 3))
	written, pinned := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || len(data) > 8<<20 {
			continue
		}
		m, err := tflite.Decode(data, filepath.Base(file))
		if err != nil {
			continue // for the reader's tests
		}
		orders := map[int]graph.Order{}
		for _, s := range m.Subgraphs {
			orders[s.Index] = shuffled(r, s)
		}
		out, err := tflite.Permute(data, m, orders)
		if errors.Is(err, tflite.ErrPinned) {
			pinned++
			for i, o := range orders { // the tensors stay where they are
				o.Numbers = nil
				orders[i] = o
			}
			out, err = tflite.Permute(data, m, orders)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		written++
		again, err := tflite.Decode(out, m.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Subgraphs {
			for _, p := range graph.Profiles() {
				if p.Nested && len(m.Subgraphs) > 1 {
					continue // callees are planned with it, in stored order
				}
				want, err := graph.NewLifetimes(m, s, orders[s.Index], p)
				if err != nil {
					t.Fatal(err)
				}
				u := again.Subgraphs[s.Index]
				got, err := graph.NewLifetimes(again, u, graph.Stored(u), p)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(rows(want), rows(got)); d != "" {
					t.Errorf("%s, subgraph %d, %s: (-order +file)\n%.2000s", file, s.Index, p.Name, d)
				}
			}
		}
	}
	if written == 0 {
		t.Error("nothing written")
	}
	t.Logf("%d files, tensors of %d cannot be numbered", written, pinned)
}

type interval struct{ Size, Align, Lower, Upper int64 }

func rows(l *graph.Lifetimes) []interval {
	var out []interval
	for _, b := range l.Table.Buffers {
		out = append(out, interval{b.Size, b.Align, b.Lower, b.Upper})
	}
	return out
}
