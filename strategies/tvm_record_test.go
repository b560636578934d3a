package strategies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// The algorithms of TVM itself, recorded by testdata/record_tvm.py, put every
// buffer at the same offset, draw by draw of the hill climb.
func TestTVMRecordings(t *testing.T) {
	text, err := os.ReadFile("testdata/tvm.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	searched, moved := 0, 0
	for i, line := range lines[1:] {
		var r struct {
			Align                  int64
			Rows                   [][3]int64 // size, lower, upper
			Size, Conflicts, Climb []int64    // offsets
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
		table := &lifetime.Table{Buffers: make([]lifetime.Buffer, len(r.Rows))}
		for k, row := range r.Rows {
			table.Buffers[k] = lifetime.Buffer{Name: fmt.Sprint("b", k), Size: row[0], Align: r.Align, Lower: row[1], Upper: row[2]}
		}
		for _, test := range []struct {
			s    Strategy
			want []int64
		}{
			{tvmGreedy{}, r.Size}, {tvmGreedy{conflicts: true}, r.Conflicts}, {tvmHillClimb{}, r.Climb},
		} {
			plan, err := test.s.Plan(t.Context(), table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(plan.Offsets, test.want) {
				t.Errorf("table %d by %s: offsets %v, recorded %v", i, test.s.Info().Name, plan.Offsets, test.want)
			}
			if plan.Stats.Decisions == 0 {
				continue
			}
			searched++
			m := method{rule: lowestGap, order: sorting{key: tvmSizeKey}, whole: true}
			first, err := m.place(t.Context(), table, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(first.Offsets, test.want) {
				moved++
			}
		}
	}
	t.Logf("%d tables of %s; %d searched, %d changed by it", len(lines)-1, lines[0], searched, moved)
	if len(lines) < 60 || searched < 30 || moved < 12 {
		t.Errorf("%d tables, %d searched, %d changed: too few to show anything", len(lines)-1, searched, moved)
	}
}

// What rand_r of glibc 2.36 gives.
func TestGlibcRand(t *testing.T) {
	for seed, want := range map[glibcRand][]int64{
		0: {1012484, 1716955679, 1792309082, 229610924, 1639479903},
		7: {1187592820, 153898277, 1377876785, 706688787, 1004817133},
	} {
		var got []int64
		for g := seed; len(got) < len(want); {
			got = append(got, g.next())
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// Told to stop, the search has a plan; a fixed offset at the top leaves nothing
// to swap, and one below it is not moved.
func TestTVMHillClimbSearch(t *testing.T) {
	table := large(700)
	full, err := tvmHillClimb{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := tvmHillClimb{}.Plan(t.Context(), table, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(full.Offsets, other.Offsets) {
		t.Error("the seed makes no difference")
	}
	const before = 40 // looks at the context, in which the first plan is made
	cut, err := tvmHillClimb{}.Plan(&countdown{Context: t.Context(), left: before}, table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lifetime.Check(table, cut); err != nil {
		t.Error(err)
	}
	if n := cut.Stats.Decisions; n == 0 || n >= full.Stats.Decisions {
		t.Errorf("%d placements, %d of the full search", n, full.Stats.Decisions)
	}
	if _, err := (tvmHillClimb{}).Plan(&countdown{Context: t.Context(), left: 2}, table, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when cancelled before there is a plan", err)
	}

	pins := closed(1, [3]int64{5, 0, 1}, [3]int64{4, 0, 2}, [3]int64{3, 2, 2})
	pins.Buffers[2].Fixed = pin(20)
	plan, err := tvmHillClimb{}.Plan(t.Context(), pins, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 5, 20}; !slices.Equal(plan.Offsets, want) || plan.Stats.Decisions > int64(len(plan.Offsets)) {
		t.Errorf("%v after %d placements, want %v after one try", plan.Offsets, plan.Stats.Decisions, want)
	}
}
