package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

// committed are the tables in the tables folder, all of seed 1.
var committed = []struct {
	family  string
	buffers int
}{
	{"neural", 60}, {"guillotine", 100}, {"strips", 100}, {"pinwheel", 100}, {"gap", 7}, {"equal", 60},
}

func familyOf(t interface{ Fatalf(string, ...any) }, name string) Family {
	for _, f := range Synthetics() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no family %q", name)
	return Family{}
}

// TestCommittedTables proves that the files are what the generators make; that
// they are on every platform is what the continuous integration shows.
func TestCommittedTables(t *testing.T) {
	want := map[string]bool{}
	for _, c := range committed {
		s, err := familyOf(t, c.family).Generate(c.buffers, 1)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteSynthetic(&text, s); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s-%d.csv", c.family, c.buffers)
		want[name] = true
		if *update {
			if err := os.WriteFile(filepath.Join("tables", name), text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := fs.ReadFile(Tables(), name)
		if err != nil {
			t.Errorf("%v (go generate makes it)", err)
			continue
		}
		if diff := cmp.Diff(text.String(), string(got)); diff != "" {
			t.Errorf("%s differs from what is generated (go generate rewrites it):\n%s", name, diff)
		}
	}
	if *update {
		return // what is embedded is still the old
	}
	names, err := fs.Glob(Tables(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !want[name] {
			t.Errorf("%s is embedded, but no generator makes it", name)
		}
	}
}

// TestTablesReadme keeps the page that describes the files.
func TestTablesReadme(t *testing.T) {
	page := filepath.Join("tables", "README.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var files, families strings.Builder
	files.WriteString("| file | family | buffers | peak live bytes | optimum |\n|---|---|--:|--:|--:|\n")
	for _, c := range committed {
		s, err := familyOf(t, c.family).Generate(c.buffers, 1)
		if err != nil {
			t.Fatal(err)
		}
		optimum := "not known"
		if s.Optimum > 0 {
			optimum = fmt.Sprint(s.Optimum)
		}
		fmt.Fprintf(&files, "| %s.csv | %s | %d | %d | %s |\n", s.Table.Name, c.family, c.buffers, s.Table.Load(), optimum)
	}
	families.WriteString("| family | how its tables come about | why the optimum is known |\n|---|---|---|\n")
	for _, f := range Synthetics() {
		proof := f.Proof
		if proof == "" {
			proof = "it is not"
		}
		fmt.Fprintf(&families, "| %s | %s | %s |\n", f.Name, f.Title, proof)
	}
	want := between(t, text, "tables", files.String())
	want = between(t, want, "families", families.String())
	if *update {
		err = os.WriteFile(page, want, 0o644)
	} else if !bytes.Equal(text, want) {
		err = errors.New("it is not what the generators say: run go generate")
	}
	if err != nil {
		t.Errorf("%s: %v", page, err)
	}
}

// TestOptimum checks what every family claims: a plan of the optimum passes,
// and where the optimum is peak live bytes nothing less can.
func TestOptimum(t *testing.T) {
	for _, f := range Synthetics() {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(f.Least, 400).Draw(t, "n")
				s, err := f.Generate(n, rapid.Uint64().Draw(t, "seed"))
				if err != nil {
					t.Fatal(err)
				}
				checkSynthetic(t, f, n, s)
			})
		})
	}
}

func checkSynthetic(t *rapid.T, f Family, n int, s *Synthetic) {
	if err := s.Table.Validate(); err != nil {
		t.Fatal(err)
	}
	fewest := map[string]int{"gap": n - 6, "robson": n / 4} // else n
	if _, some := fewest[f.Name]; !some {
		fewest[f.Name] = n
	}
	if got := len(s.Table.Buffers); got > n || got < fewest[f.Name] {
		t.Fatalf("%d buffers for %d", got, n)
	}
	if (f.Proof == "") != (s.Optimum == 0) || (s.Plan == nil) != (s.Optimum == 0) {
		t.Fatalf("proof %q, optimum %d, plan %v", f.Proof, s.Optimum, s.Plan)
	}
	if s.Plan == nil {
		return
	}
	if err := lifetime.Check(s.Table, s.Plan); err != nil {
		t.Fatal(err)
	}
	if s.Plan.Arena != s.Optimum {
		t.Fatalf("plan takes %d bytes, optimum is %d", s.Plan.Arena, s.Optimum)
	}
	load := s.Table.Load()
	if f.Name == "gap" {
		if s.Optimum*5 != load*6 {
			t.Fatalf("optimum %d is not 6/5 of the load %d", s.Optimum, load)
		}
	} else if load != s.Optimum {
		t.Fatalf("optimum %d, load %d", s.Optimum, load)
	}
}

// TestTilingsAreFull checks that every byte of a tiling is live at every step.
func TestTilingsAreFull(t *testing.T) {
	for _, name := range []string{"guillotine", "strips", "pinwheel", "balanced"} {
		s, err := familyOf(t, name).Generate(200, 3)
		if err != nil {
			t.Fatal(err)
		}
		curve := s.Table.LiveBytes()
		for i, live := range curve.Live[:len(curve.Live)-1] {
			if live != side {
				t.Fatalf("%s: %d bytes live at step %d", name, live, curve.Times[i])
			}
		}
		if lower, upper := s.Table.Span(); lower != 0 || upper != side {
			t.Errorf("%s lives from %d to %d", name, lower, upper)
		}
	}
}

// TestGapOptimum tries all plans of the seven buffers: with whole-numbered
// offsets, for any plan can be pushed down until every buffer rests on the
// bottom or on others, and then its offset is a sum of sizes.
func TestGapOptimum(t *testing.T) {
	s, err := familyOf(t, "gap").Generate(7, 0)
	if err != nil {
		t.Fatal(err)
	}
	offsets := make([]int64, 7)
	tried := 0
	var fits func(i int, arena int64) bool
	fits = func(i int, arena int64) bool {
		if i == len(offsets) {
			tried++
			p := lifetime.NewPlan(s.Table, append([]int64(nil), offsets...))
			return lifetime.Check(s.Table, p) == nil
		}
		for off := int64(0); off+s.Table.Buffers[i].Size <= arena; off += unit {
			offsets[i] = off
			if fits(i+1, arena) {
				return true
			}
		}
		return false
	}
	if fits(0, 5*unit) {
		t.Errorf("a plan fits 5 units: %v", offsets)
	}
	if want := 3 * 5 * 4 * 4 * 5 * 4 * 3; tried != want {
		t.Errorf("%d plans tried, there are %d", tried, want)
	}
	if !fits(0, 6*unit) {
		t.Error("no plan fits 6 units")
	}
}

// TestPinwheel checks that the first cut of a pinwheel tiling cannot be
// separated: no line across the arena leaves all tiles whole.
func TestPinwheel(t *testing.T) {
	for seed := range uint64(20) {
		s := pinwheel(rand.New(rand.NewPCG(seed, 0)), 5)
		for i, b := range s.Table.Buffers {
			for _, at := range []int64{b.Lower, b.Upper} {
				if at > 0 && at < side && !cutsOne(s, at, func(i int) (int64, int64) {
					return s.Table.Buffers[i].Lower, s.Table.Buffers[i].Upper
				}) {
					t.Errorf("seed %d: step %d separates the tiles", seed, at)
				}
			}
			for _, at := range []int64{s.Plan.Offsets[i], s.Plan.Offsets[i] + b.Size} {
				if at > 0 && at < side && !cutsOne(s, at, func(i int) (int64, int64) {
					return s.Plan.Offsets[i], s.Plan.Offsets[i] + s.Table.Buffers[i].Size
				}) {
					t.Errorf("seed %d: address %d separates the tiles", seed, at)
				}
			}
		}
	}
}

func cutsOne(s *Synthetic, at int64, extent func(int) (int64, int64)) bool {
	for i := range s.Table.Buffers {
		if low, high := extent(i); low < at && at < high {
			return true
		}
	}
	return false
}

// TestTwoSizes checks that no step has a free byte.
func TestTwoSizes(t *testing.T) {
	s, err := familyOf(t, "two-sizes").Generate(500, 3)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[int64]int{}
	for _, b := range s.Table.Buffers {
		sizes[b.Size]++
	}
	if len(sizes) != 2 || sizes[unit] < 50 || sizes[2*unit] < 50 {
		t.Errorf("sizes %v", sizes)
	}
	curve := s.Table.LiveBytes()
	for i, live := range curve.Live[:len(curve.Live)-1] {
		if live != s.Optimum {
			t.Fatalf("%d of %d bytes live at step %d", live, s.Optimum, curve.Times[i])
		}
	}
}

// TestHoled checks that tiles are missing, and none at some step.
func TestHoled(t *testing.T) {
	s, err := familyOf(t, "holed").Generate(300, 3)
	if err != nil {
		t.Fatal(err)
	}
	area := int64(0)
	for _, b := range s.Table.Buffers {
		area += b.Size * (b.Upper - b.Lower)
	}
	if area > side*side*95/100 || s.Optimum != side {
		t.Errorf("%d of %d filled, optimum %d", area, int64(side*side), s.Optimum)
	}
}

// TestRobson checks the program against first fit itself: with a memory of 256
// it needs 961, with 1024 4865.
func TestRobson(t *testing.T) {
	for m, want := range map[int64]int64{4: 4, 8: 11, 256: 961, 1024: 4865} {
		p := runProgram(m)
		top := int64(0)
		for i := range p.blocks {
			a := &p.blocks[i]
			top = max(top, a.offset+a.size)
			for k := range p.blocks[:i] {
				b := &p.blocks[k]
				if a.born < b.freed && b.born < a.freed && a.offset < b.offset+b.size && b.offset < a.offset+a.size {
					t.Fatalf("m %d: blocks %+v and %+v meet", m, *a, *b)
				}
			}
		}
		if top != want {
			t.Errorf("m %d: first fit takes %d, not %d", m, top, want)
		}
	}
	for m := int64(4); m <= 1<<14; m *= 2 {
		p := runProgram(m)
		for i, offset := range p.pack() {
			if offset < 0 || offset+p.blocks[i].size > m {
				t.Fatalf("m %d: block %+v at %d", m, p.blocks[i], offset)
			}
		}
	}
}
