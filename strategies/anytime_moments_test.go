package strategies_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// hardTable is a table with what is known of its smallest arena.
type hardTable struct {
	table        *lifetime.Table
	lower, upper int64
}

// generated returns tables that no search closes at once, and one with gaps.
func generated(t *testing.T) []hardTable {
	var out []hardTable
	for _, s := range []*datasets.Synthetic{syntheticOf(t, "balanced", 250), syntheticOf(t, "two-sizes", 250), syntheticOf(t, "gap", 70)} {
		out = append(out, hardTable{s.Table, s.Optimum, s.Optimum})
	}
	for _, g := range datasets.Graded() {
		if g.Grade == datasets.GradeOpen && g.Buffers <= 400 {
			s, _ := g.Build()
			out = append(out, hardTable{s.Table, g.Optimum, g.Optimum})
		}
	}
	return out
}

// stated returns the hardest tables of the data set whose file names state a
// capacity: those with the most buffers alive at a time.
func stated(t *testing.T, most int) []hardTable {
	t.Helper()
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Log("ARENALAB_DATA is not set: only generated tables")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(root, "tables", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []hardTable
	alive := map[*lifetime.Table]int{}
	for _, name := range files {
		words := strings.Split(filepath.Base(name), ".")
		if len(words) < 3 {
			continue
		}
		if _, err := strconv.ParseInt(words[len(words)-2], 10, 64); err != nil {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := lifetime.ReadCSV(f, lifetime.CSVOptions{})
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		alive[table] = mostAlive(table)
		out = append(out, hardTable{table, table.Load(), math.MaxInt64})
	}
	if len(out) == 0 {
		t.Errorf("no table below %s states a capacity", root)
	}
	slices.SortStableFunc(out, func(a, b hardTable) int { return cmp.Compare(alive[b.table], alive[a.table]) })
	return out[:min(len(out), most)]
}

// mostAlive returns how many buffers are live at a time, gaps ignored.
func mostAlive(t *lifetime.Table) (most int) {
	for i := range t.Buffers {
		n := 0
		for k := range t.Buffers {
			if b := &t.Buffers[k]; b.Lower <= t.Buffers[i].Lower && t.Buffers[i].Lower < b.Upper {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestAnyMoment stops searches at random moments, by their time limit, by their
// context and by their decisions: there is always a valid plan in a valid
// bracket, and no bound is above any plan that was found at another moment.
func TestAnyMoment(t *testing.T) {
	moments, longest := 18, 60*time.Millisecond
	if os.Getenv("ARENALAB_SLOW") != "" {
		moments = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	tables := append(stated(t, 4), generated(t)...)
	planned := 0
	for k := range moments {
		h := &tables[k%len(tables)]
		after := time.Duration(r.Int64N(int64(longest)))
		for _, name := range []string{"anytime", "exact"} {
			ctx, cancel := context.WithCancel(t.Context())
			o := strategies.Options{Seed: uint64(k), Decisions: -1}
			switch k % 3 {
			case 0:
				o.TimeLimit = after + 1
			case 1:
				time.AfterFunc(after, cancel)
			default:
				o.Decisions = 1 + r.Int64N(3000)
			}
			p, err := lookup(t, name).Plan(ctx, h.table, o)
			cancel()
			if err != nil {
				ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
				if k%3 == 2 || !ended { // even the first plan takes a moment
					t.Errorf("%s on %s, stopped after %v: %v", name, h.table.Name, after, err)
				}
				continue
			}
			planned++
			checkBracket(t, h.table, p, min(h.upper, p.Arena))
			h.lower, h.upper = max(h.lower, p.LowerBound), min(h.upper, p.Arena)
			if h.lower > h.upper {
				t.Fatalf("%s on %s: an arena of %d, a bound of %d", name, h.table.Name, h.upper, h.lower)
			}
		}
	}
	if planned < moments { // of twice as many
		t.Errorf("%d plans at %d moments of two searches", planned, moments)
	}
}
