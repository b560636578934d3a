package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

// stacked places every buffer on top of those before it that it meets: safe,
// and with holes.
func stacked(t *lifetime.Table) *lifetime.Plan {
	offsets := make([]int64, len(t.Buffers))
	for i := range t.Buffers {
		for j := range i {
			if t.Buffers[i].Overlaps(&t.Buffers[j]) {
				offsets[i] = max(offsets[i], offsets[j]+t.Buffers[j].Size)
			}
		}
	}
	return lifetime.NewPlan(t, offsets)
}

// randomTable returns a table like that of a network: mostly short lives.
func randomTable(n int, seed uint64) *lifetime.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &lifetime.Table{Name: "random"}
	for i := range n {
		size := int64(64 * (1 + r.IntN(256)))
		life := int64(1 + r.ExpFloat64()*8)
		if r.IntN(20) == 0 {
			life *= 10
		}
		b := lifetime.Buffer{Name: fmt.Sprintf("model/block_%d/conv2d_%d:0", i/8, i), Size: size, Lower: int64(i), Upper: int64(i) + life}
		if life > 6 && i%3 == 0 {
			b.Gaps = []lifetime.Gap{{Lower: b.Lower + 2, Upper: b.Lower + 4}, {Lower: b.Lower + 5, Upper: b.Lower + 6, Keep: &lifetime.Window{Lower: 0, Upper: size / 2}}}
		}
		t.Buffers = append(t.Buffers, b)
	}
	return t
}

// well reports whether the figure can be written, as well-formed SVG without
// any coordinate that is not a number, and as PNG with something on it.
func well(t *testing.T, f Figure) {
	t.Helper()
	var svg, raster bytes.Buffer
	if err := errors.Join(f.WriteSVG(&svg), f.writePNG(&raster, 40)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(svg.String(), bad) {
			t.Errorf("%s in the drawing", bad)
		}
	}
	d := xml.NewDecoder(&svg)
	for {
		_, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("SVG: %v", err)
		}
	}
	img, err := png.Decode(&raster)
	if err != nil {
		t.Fatal(err)
	}
	if blank(img) {
		t.Error("the picture is blank")
	}
}

func blank(img image.Image) bool {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0xFFFF {
				return false
			}
		}
	}
	return true
}

func TestArenaMapOfAnything(t *testing.T) {
	fixed := int64(4096)
	buffers := func(bs ...lifetime.Buffer) *lifetime.Table { return &lifetime.Table{Buffers: bs} }
	huge := int64(math.MaxInt64 / 8)
	tests := map[string]struct {
		table *lifetime.Table
		plan  *lifetime.Plan
	}{
		"no table":         {nil, nil},
		"no plan":          {buffers(lifetime.Buffer{Size: 1, Upper: 1}), nil},
		"no buffers":       {buffers(), &lifetime.Plan{}},
		"wrong length":     {buffers(lifetime.Buffer{Size: 1, Upper: 1}), &lifetime.Plan{}},
		"size zero":        {buffers(lifetime.Buffer{Upper: 3}), &lifetime.Plan{Offsets: []int64{0}}},
		"one buffer":       {buffers(lifetime.Buffer{Name: "a", Size: 4, Upper: 1}), nil},
		"one step":         {buffers(lifetime.Buffer{Size: 4, Lower: 7, Upper: 8}, lifetime.Buffer{Size: 9, Lower: 7, Upper: 8}), nil},
		"negative steps":   {buffers(lifetime.Buffer{Size: 4, Lower: -9, Upper: -2}), nil},
		"huge":             {buffers(lifetime.Buffer{Size: huge, Lower: math.MinInt64, Upper: math.MaxInt64}), nil},
		"huge and tiny":    {buffers(lifetime.Buffer{Size: huge, Upper: 1 << 60}, lifetime.Buffer{Size: 1, Lower: 3, Upper: 4}), nil},
		"far from address": {buffers(lifetime.Buffer{Size: 1, Upper: 2, Fixed: &fixed}), &lifetime.Plan{Offsets: []int64{fixed}, Arena: fixed + 1}},
		"gap all along":    {buffers(lifetime.Buffer{Size: 5, Upper: 4, Gaps: []lifetime.Gap{{Upper: 4}}}), nil},
		"hostile names":    {buffers(lifetime.Buffer{Name: "</text><script>", Size: 50, Upper: 9}, lifetime.Buffer{Name: "a\x00\n]]>\u202e", Size: 50, Upper: 9}), nil},
		"random":           {randomTable(300, 1), nil},
		"unsafe":           {randomTable(20, 2), &lifetime.Plan{Offsets: make([]int64, 20)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.plan == nil && tt.table != nil && name != "no plan" {
				tt.plan = stacked(tt.table)
			}
			for _, rec := range []bench.Record{
				{},
				{Model: "m<&>\x00", Strategy: "litert", Source: "table", LowerBoundBytes: 3, BoundStep: 99, BoundKind: lifetime.BoundAlignment},
			} {
				well(t, ArenaMap(rec, tt.table, tt.plan))
			}
		})
	}
}

func TestRunFiguresOfAnything(t *testing.T) {
	nan, zero, missing := sevenBySix(), sevenBySix(), sevenBySix()[3:20]
	for i := range nan {
		nan[i].PlanNS = []float64{math.NaN(), 0, math.Inf(1), -1}[i%4]
		zero[i].ArenaBytes, zero[i].LowerBoundBytes = 0, 0
	}
	optimal := sevenBySix()
	for i := range optimal {
		optimal[i].ArenaBytes = optimal[i].LowerBoundBytes
	}
	same := synthetic(5, "a", "b", "c", "d", "e", "f", "g", "h", "i")
	for i := range same {
		same[i].ArenaBytes, same[i].PlanNS = same[i].LowerBoundBytes*3/2, 1000
	}
	hostileRun := sevenBySix()
	for i := range hostileRun {
		hostileRun[i].Model = hostile[i/6%len(hostile)] + hostileRun[i].Model
		hostileRun[i].Strategy = hostile[i%6]
	}
	failing := sevenBySix()
	for i := range failing {
		failing[i].Validated = ""
	}
	below := sevenBySix()
	for i := range below {
		below[i].ArenaBytes = 1 // below the bound: a defect elsewhere, but no reason to break
	}
	for name, recs := range map[string][]bench.Record{
		"none": nil, "one": sevenBySix()[:1], "few": sevenBySix(), "some": synthetic(20, "naive", "litert"),
		"many": synthetic(200, "naive", "first-fit", "litert"), "times": nan, "zero": zero, "missing": missing,
		"optimal": optimal, "same": same, "hostile": hostileRun, "failing": failing, "failed": withFailures(),
		"mixed": mixed(), "below": below,
	} {
		t.Run(name, func(t *testing.T) {
			well(t, Bars(recs))
			well(t, Pareto(recs))
			well(t, Profile(recs))
		})
	}
	well(t, Figure{Title: "x", draw: func(c draw.Canvas) { message(c, "x") }})
}

func figures() map[string]Figure {
	tab := randomTable(300, 3)
	recs := synthetic(30, "naive", "first-fit", "litert", "exact")
	return map[string]Figure{
		"map":     ArenaMap(bench.Record{Model: "random", Strategy: "stacked", Order: "stored"}, tab, stacked(tab)),
		"bars":    Bars(recs),
		"pareto":  Pareto(recs),
		"profile": Profile(recs),

		"convergence": Convergence(Searches(searches())[0], ByTime),
		"panels":      Convergence(searches(), ByDecisions),
		"live":        Live(twoOrders(), 200, "kws"),
	}
}

func TestFiguresAreDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	write := func(procs int) map[string][]byte {
		runtime.GOMAXPROCS(procs)
		out := map[string][]byte{}
		for name, f := range figures() {
			var svg, raster bytes.Buffer
			if err := errors.Join(f.WriteSVG(&svg), f.writePNG(&raster, 60)); err != nil {
				t.Fatal(err)
			}
			out[name+".svg"], out[name+".png"] = svg.Bytes(), raster.Bytes()
		}
		return out
	}
	first, second := write(1), write(4)
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs between two drawings", name)
		}
	}
}

// TestFiguresInParallel lets the race detector see that drawings share nothing
// that they change.
func TestFiguresInParallel(t *testing.T) {
	f := figures()["map"]
	var want bytes.Buffer
	if err := f.WriteSVG(&want); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var got bytes.Buffer
			if err := f.WriteSVG(&got); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("another drawing: error %v", err)
			}
		})
	}
	group.Wait()
}

func TestSVGIsSmallAndLabelled(t *testing.T) {
	for name, f := range figures() {
		var svg bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		var raster bytes.Buffer
		if err := f.WritePNG(&raster); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&raster)
		if width, _ := f.size(); err != nil || img.Bounds().Dx() != int(width/vg.Inch*pngDPI+0.5) {
			t.Errorf("%s: PNG of %v: %v", name, img.Bounds(), err)
		}
		if svg.Len() > 200_000 {
			t.Errorf("%s: %d bytes", name, svg.Len())
		}
		for _, want := range []string{"<title>" + f.Title + "</title>", "@font-face", `role="img"`} {
			if !strings.Contains(svg.String(), want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if strings.Contains(svg.String(), "http") && strings.Count(svg.String(), "http") > 2 {
			t.Errorf("%s: refers to something outside beyond its two name spaces", name)
		}
	}
}

func TestHTMLTakesFigures(t *testing.T) {
	var buf bytes.Buffer
	f := figures()
	if err := Summary(&buf, sevenBySix(), Options{Format: HTML, Figures: []Figure{f["map"], f["bars"]}}); err != nil {
		t.Fatal(err)
	}
	page := buf.String()
	if n := strings.Count(page, "<svg"); n != 2 {
		t.Errorf("%d drawings, want 2", n)
	}
	if n := strings.Count(page, "@font-face"); n != 2 {
		t.Errorf("%d faces, want the regular and the bold one, once for all drawings", n)
	}
	for _, bad := range []string{"<?xml", "<script", "src=", "@import"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	paths, err := Save(dir, "map", figures()["map"])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "map.png"), filepath.Join(dir, "map.svg")}
	if fmt.Sprint(paths) != fmt.Sprint(want) {
		t.Errorf("paths %v, want %v", paths, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files left, error %v: temporary files must go", len(entries), err)
	}
	if _, err := Save(filepath.Join(dir, "gone"), "map", Figure{}); err == nil {
		t.Error("saving to a directory that does not exist succeeded")
	}
}

func TestSaveFileLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	full := errors.New("no space left")
	err := saveFile(filepath.Join(dir, "x.png"), func(w io.Writer) error {
		io.WriteString(w, "half")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%d files left of a failed save", len(entries))
	}
}

// TestGreyPrint holds the look of strategies to what can be told apart without
// colour, and seen at all on white.
func TestGreyPrint(t *testing.T) {
	dashes, glyphs := map[string]string{}, map[string]string{}
	all := maps.Clone(looks)
	maps.Copy(all, searchLooks)
	if len(all) != len(looks)+len(searchLooks) {
		t.Error("a strategy has two looks")
	}
	for name, l := range all {
		if c := contrast(l.color); c < 2.2 {
			t.Errorf("%s: contrast %.1f to white", name, c)
		} else if c < 3 && l.line().Width < 2 {
			t.Errorf("%s: contrast %.1f to white needs a thick line", name, c)
		}
		d, g := fmt.Sprint(l.dashes), fmt.Sprintf("%T%v", l.glyph, l.glyph)
		if other, ok := dashes[d]; ok {
			t.Errorf("%s and %s have the same dashes", name, other)
		}
		if other, ok := glyphs[g]; ok {
			t.Errorf("%s and %s have the same glyph", name, other)
		}
		dashes[d], glyphs[g] = name, name
	}
	grey := func(c color.NRGBA) float64 { return math.Pow(luminance(c), 1/2.2) }
	if d := grey(roleFill[roleOther]) - grey(roleFill[roleBound]); d < 0.15 {
		t.Errorf("buffers at the bound are only %.2f darker than others", d)
	}
	if c := contrast(roleFill[roleTop]); c < 2 {
		t.Errorf("buffers at the top: contrast %.1f to white", c)
	}
}

func TestUnknownStrategiesHaveALook(t *testing.T) {
	a, b := lookOf("my-strategy"), lookOf("my-strategy")
	if fmt.Sprint(a) != fmt.Sprint(b) || a.glyph == nil {
		t.Errorf("looks %v and %v of one name", a, b)
	}
	if l := lookOf("exact"); l.color != black {
		t.Errorf("exact is drawn in %v", l.color)
	}
}

func BenchmarkArenaMap(b *testing.B) {
	for _, n := range []int{300, 7000} {
		tab := randomTable(n, 5)
		plan := stacked(tab)
		for format, write := range map[string]func(Figure) error{
			"svg": func(f Figure) error { return f.WriteSVG(io.Discard) },
			"png": func(f Figure) error { return f.WritePNG(io.Discard) },
		} {
			b.Run(fmt.Sprintf("buffers=%d/format=%s", n, format), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := write(ArenaMap(bench.Record{Model: "random"}, tab, plan)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
