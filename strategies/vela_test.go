package strategies

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
	"pgregory.net/rapid"
)

// velaPlan is what an allocator made of a table.
type velaPlan struct {
	Arena   int64
	Offsets []int64
}

// Vela's own allocators, recorded by testdata/record_vela.py, gave the same
// offsets, swap by swap of the hill climb.
func TestVelaRecordings(t *testing.T) {
	f, err := os.Open("testdata/vela.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tables, searched := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Name                  string
			Align, Limit          int64
			Rows                  [][3]int64
			Linear, Greedy, Climb velaPlan
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Rows == nil {
			continue // the versions
		}
		tables++
		table := &lifetime.Table{Name: line.Name}
		for i, r := range line.Rows {
			table.Buffers = append(table.Buffers, lifetime.Buffer{
				Name: fmt.Sprint("b", i), Size: r[2], Align: line.Align, Lower: r[0], Upper: r[1] + 1,
			})
		}
		for _, test := range []struct {
			s    Strategy
			want velaPlan
		}{
			{velaLinear{}, line.Linear}, {velaGreedy{}, line.Greedy}, {velaHillClimb{}, line.Climb},
		} {
			plan, err := test.s.Plan(t.Context(), table, Options{Capacity: line.Limit})
			if err != nil {
				t.Fatal(err)
			}
			if plan.Arena != test.want.Arena || !slices.Equal(plan.Offsets, test.want.Offsets) {
				t.Errorf("%s by %s: arena %d, recorded %d", line.Name, test.s.Info().Name, plan.Arena, test.want.Arena)
			}
			if plan.Stats.Decisions > 0 {
				searched++
			}
		}
	}
	t.Logf("%d tables, offsets of the three allocators equal; %d searched", tables, searched)
	if err := lines.Err(); err != nil || tables < 60 || searched < 20 {
		t.Errorf("%d tables, %d searched, error %v", tables, searched, err)
	}
}

// What random.seed(1) is followed by, in CPython 3.11: getrandbits(32) twice,
// randint(0, 100) three times.
func TestMersenne(t *testing.T) {
	m := newMersenne(1)
	got := []int64{int64(m.word()), int64(m.word()), int64(m.below(101)), int64(m.below(101)), int64(m.below(101))}
	want := []int64{577090037, 2444712010, 97, 8, 32}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m = newMersenne(1<<40 + 5)
	for range 2000 {
		m.word()
	}
	if got := m.word(); got != 918171972 {
		t.Errorf("word 2001 from the seed 2^40+5: %d", got)
	}
}

// The search never makes the first placement worse and stays clear of fixed
// offsets; it stops when it is told to, with a plan.
func TestVelaHillClimbSearch(t *testing.T) {
	m := method{rule: lowestGap, whole: true}
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapes["pins"])
		m.order = sorting{key: loadOf(table).urgency}
		first, err := m.place(context.Background(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := velaHillClimb{}.Plan(context.Background(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Arena > first.Arena {
			t.Fatalf("arena %d, %d before the search", plan.Arena, first.Arena)
		}
	})

	table := large(1000)
	full, err := velaHillClimb{}.Plan(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const before = 40 // looks at the context until the search begins
	cut, err := velaHillClimb{}.Plan(&countdown{Context: t.Context(), left: before}, table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lifetime.Check(table, cut); err != nil {
		t.Error(err)
	}
	if n := cut.Stats.Decisions; n == 0 || n >= full.Stats.Decisions {
		t.Errorf("%d tries, %d of the full search", n, full.Stats.Decisions)
	}
	if _, err := (velaHillClimb{}).Plan(&countdown{Context: t.Context(), left: 2}, table, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when cancelled before there is a plan", err)
	}
}

// The peak over a life is that of a scan.
func TestLoadsPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := randomTable(t, shapes["narrow"])
		l := loadOf(table)
		pairs := int64(0)
		for i, b := range table.Buffers {
			if b.Size == 0 {
				continue
			}
			want := int64(0)
			for step := b.Lower; step < b.Upper; step++ {
				live := int64(0)
				for _, c := range table.Buffers {
					if c.Lower <= step && step < c.Upper {
						live += c.Size
					}
				}
				want = max(want, live)
			}
			if got := l.peak(b.Lower, b.Upper); got != want {
				t.Fatalf("buffer %d: %d, want %d", i, got, want)
			}
			for _, c := range table.Buffers[:i] {
				if c.Size > 0 && b.Overlaps(&c) {
					pairs++
				}
			}
		}
		if got := countPairs(table); got != pairs {
			t.Fatalf("%d pairs, want %d", got, pairs)
		}
	})
}
