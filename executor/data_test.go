package executor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
	"github.com/arenalab/arenalab/lifetime"
)

// sweep is place for large tables: first fit in the order of birth, gaps and
// fixed offsets ignored.
func sweep(t *lifetime.Table) *lifetime.Plan {
	order := make([]int, len(t.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Buffers[a].Lower, t.Buffers[b].Lower) })
	offsets := make([]int64, len(t.Buffers))
	var live []int // by offset
	for _, i := range order {
		b := &t.Buffers[i]
		live = slices.DeleteFunc(live, func(j int) bool { return t.Buffers[j].Upper <= b.Lower })
		if b.Size == 0 {
			continue
		}
		at, end := 0, int64(0)
		for ; at < len(live) && end+b.Size > offsets[live[at]]; at++ {
			c := live[at]
			end = max(end, lifetime.AlignUp(offsets[c]+t.Buffers[c].Size, b.Alignment()))
		}
		offsets[i] = end
		live = slices.Insert(live, at, i)
	}
	return lifetime.NewPlan(t, offsets)
}

func dataFiles(t testing.TB, folder, pattern string) []string {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no " + folder + " to run")
	}
	files, err := filepath.Glob(filepath.Join(root, folder, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s: %v", folder, root, err)
	}
	return files
}

func readTable(t testing.TB, file string) *lifetime.Table {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tab, err := lifetime.ReadCSV(f, lifetime.CSVOptions{Name: filepath.Base(file)})
	if tab == nil {
		t.Fatal(err)
	}
	return tab // some have fixed offsets that are not aligned
}

// shifts moves single buffers by a byte and makes sure that the run finds just
// those plans unsafe in which lifetime.Check finds an overlap.
func shifts(t *testing.T, p *Program, tab *lifetime.Table, plan *lifetime.Plan, m *Memory) (unsafe int) {
	t.Helper()
	n := len(tab.Buffers)
	times := min(n, max(2, min(40, 100_000/max(n, 1))))
	for k := range times {
		i := k * n / times
		moved := slices.Clone(plan.Offsets)
		if moved[i] += int64(k%2*2 - 1); moved[i] < 0 {
			moved[i] = 1
		}
		bad := lifetime.NewPlan(tab, moved)
		var overlap *lifetime.OverlapError
		found := errors.As(lifetime.Check(tab, bad), &overlap)
		_, err := p.Validate(context.Background(), bad, Options{MaxArena: -1, Memory: m})
		var c *Clobbered
		if errors.As(err, &c) != found || !found && err != nil {
			t.Fatalf("buffer %d %q at %d: the run says %v, lifetime.Check %v", i, tab.Buffers[i].Name, moved[i], err, overlap)
		}
		if found {
			unsafe++
			if c.Reader.Buffer != i && c.Writer.Buffer != i {
				t.Fatalf("buffer %d was moved, but %v", i, c)
			}
		}
	}
	return unsafe
}

func TestTables(t *testing.T) {
	m, unsafe := &Memory{}, 0
	for _, file := range dataFiles(t, "tables", "*.csv") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			tab := readTable(t, file)
			for i := range tab.Buffers {
				tab.Buffers[i].Align, tab.Buffers[i].Fixed = 1, nil
			}
			p, plan := FromTable(tab), sweep(tab)
			res, err := p.Validate(context.Background(), plan, Options{MaxArena: 8 << 20, Memory: m})
			if err != nil {
				t.Fatal(err)
			}
			if res.RealRuns == 0 && plan.Arena <= 8<<20 {
				t.Error("was not run in real bytes")
			}
			unsafe += shifts(t, p, tab, plan, m)
		})
	}
	if unsafe == 0 {
		t.Error("no shift made a plan unsafe")
	}
}

func TestModels(t *testing.T) {
	m, unsafe, programs := &Memory{}, 0, 0
	for _, file := range dataFiles(t, "models", "*.tflite") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			model, err := tflite.Read(file)
			if err != nil {
				t.Skip(err)
			}
			for _, s := range model.Subgraphs {
				for _, profile := range graph.Profiles() {
					p, table := modelProgram(t, model, s, profile)
					plan, options := sweep(table), Options{MaxArena: -1, Memory: m}
					if profile.Name == "plain" && p.Bytes() < 4<<20 {
						options.MaxArena = 0
					}
					if _, err := p.Validate(context.Background(), plan, options); err != nil {
						t.Fatalf("%s: %v", profile.Name, err)
					}
					unsafe += shifts(t, p, table, plan, m)
					programs++
				}
			}
		})
	}
	if unsafe == 0 {
		t.Error("no shift made a plan unsafe")
	}
	t.Logf("%d programs, %d unsafe plans found", programs, unsafe)
}

// TestSharingRules runs the models that came with recordings of the real
// runtimes: all plans are safe but where LiteRT's sharing rule is not, and that
// failure says so.
func TestSharingRules(t *testing.T) {
	failed := 0
	for _, file := range dataFiles(t, "golden", "*.tflite") {
		model, err := tflite.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range graph.Profiles() {
			p, table := modelProgram(t, model, model.Subgraphs[0], profile)
			_, err := p.Validate(context.Background(), sweep(table), Options{})
			var c *Clobbered
			switch {
			case errors.As(err, &c) && c.InPlace() && profile.InPlace != "":
				failed++
				t.Logf("%s, %s: %v", filepath.Base(file), profile.Name, err)
			case err != nil:
				t.Errorf("%s, %s: %v", filepath.Base(file), profile.Name, err)
			}
		}
	}
	if failed != 1 {
		t.Errorf("the sharing rule was found unsafe %d times, want once", failed)
	}
}

// modelProgram returns the program of a subgraph in stored order without
// alignment and rounding: padding is never accessed, so it would hide shifts.
func modelProgram(t testing.TB, model *graph.Model, s *graph.Subgraph, profile graph.Profile) (*Program, *lifetime.Table) {
	t.Helper()
	profile.Align, profile.RoundSizes, profile.Offline = 1, 1, false
	o := graph.Stored(s)
	lt, err := graph.NewLifetimes(model, s, o, profile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := FromGraph(s, o, lt)
	if err != nil {
		t.Fatalf("%s: %v", profile.Name, err)
	}
	return p, lt.Table
}
