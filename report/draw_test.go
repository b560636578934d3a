package report

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/lifetime"
)

func TestTopsAgreeWithDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := &lifetime.Table{}
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			low := rapid.Int64Range(0, 20).Draw(t, "lower")
			tab.Buffers = append(tab.Buffers, lifetime.Buffer{
				Size: rapid.Int64Range(1, 9).Draw(t, "size"), Lower: low, Upper: low + rapid.Int64Range(1, 9).Draw(t, "life")})
		}
		plan := stacked(tab)
		pieces := tab.Pieces()
		got := tops(pieces, plan.Offsets, newAxis(pieces, "").times)
		for i, step := range got.times {
			want := int64(0)
			for k, b := range tab.Buffers {
				if b.Lower <= step && step < b.Upper {
					want = max(want, plan.Offsets[k]+b.Size)
				}
			}
			if got.top[i] != want {
				t.Fatalf("top at step %d is %d, want %d", step, got.top[i], want)
			}
		}
	})
}

func TestAxisRanksSparseSteps(t *testing.T) {
	piece := func(lower, upper int64) lifetime.Piece { return lifetime.Piece{Lower: lower, Upper: upper, High: 1} }
	dense := newAxis([]lifetime.Piece{piece(0, 5), piece(3, 40)}, "step")
	if dense.ranked || dense.at(7) != 7 || dense.label != "step" {
		t.Errorf("40 steps are shown by rank: %+v", dense)
	}
	sparse := newAxis([]lifetime.Piece{piece(0, 1000), piece(500, 1_000_000)}, "step")
	if !sparse.ranked || sparse.at(500) != 1 || sparse.at(1_000_000) != 3 || sparse.at(700) != 1.5 {
		t.Errorf("1,000,000 steps with 4 events: %+v", sparse)
	}
	if !strings.Contains(sparse.label, "rank") {
		t.Errorf("label %q does not say that steps are ranks", sparse.label)
	}
	if low, high := newAxis([]lifetime.Piece{piece(math.MinInt64, math.MaxInt64)}, "").span(); low != 0 || high != 1 {
		t.Errorf("span [%v, %v]", low, high)
	}
}

// TestPixelRunsCoverWhatIsMarked checks that runs are disjoint and cover
// exactly the marked pixels, each with its role.
func TestPixelRunsCoverWhatIsMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		area := vg.Rectangle{Max: vg.Point{X: 12 * pixel, Y: 9 * pixel}}
		p := newPixels(area)
		length := rapid.Custom(func(t *rapid.T) vg.Length {
			return pixel * vg.Length(rapid.Float64Range(-1, 13).Draw(t, "length"))
		})
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			x, y := length.Draw(t, "x"), length.Draw(t, "y")
			r := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + pixel*4, Y: y + pixel/3}}
			p.add(r, role(rapid.IntRange(0, int(roles)-1).Draw(t, "role")))
		}
		marked := slices.Clone(p.cells)
		painted := make([]uint8, p.w*p.h)
		for _, r := range p.runs() {
			for y := r.y0; y < r.y1; y++ {
				for x := r.x0; x < r.x1; x++ {
					if painted[y*p.w+x] != 0 {
						t.Fatalf("pixel %d, %d is painted twice", x, y)
					}
					painted[y*p.w+x] = uint8(r.role) + 1
				}
			}
		}
		if marked != nil && !slices.Equal(marked, painted) {
			t.Fatalf("marked %v, painted %v", marked, painted)
		}
	})
}

func TestPartsLoseNothing(t *testing.T) {
	var path vg.Path
	for i := range 3*partSize + 5 {
		addRect(&path, vg.Rectangle{Max: vg.Point{X: vg.Length(i), Y: 1}})
	}
	var joined vg.Path
	n := 0
	for part := range parts(path) {
		if part[0].Type != vg.MoveComp {
			t.Fatal("a part does not start with a move")
		}
		joined = append(joined, part...)
		n++
	}
	if n != 4 || len(joined) != len(path) {
		t.Errorf("%d parts of %d components, want 4 of %d", n, len(joined), len(path))
	}
}

func TestPlacerKeepsLabelsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := placer{area: vg.Rectangle{Max: vg.Point{X: 400, Y: 300}}}
		var points []vg.Point
		for range rapid.IntRange(1, 7).Draw(t, "n") {
			at := vg.Point{
				X: vg.Length(rapid.IntRange(40, 360).Draw(t, "x")),
				Y: vg.Length(rapid.IntRange(40, 260).Draw(t, "y")),
			}
			points = append(points, at)
			p.addPoint(at, 4)
		}
		var labels []vg.Rectangle
		for _, at := range points {
			labels = append(labels, box(p.place(at, 40, 9), 20, 4.5))
		}
		for i, a := range labels {
			if inside := overlap(a, p.area); math.Abs(inside-360) > 1e-6 {
				t.Fatalf("label %v leaves the plot", a)
			}
			for _, b := range labels[:i] {
				if overlap(a, b) > 1e-9 {
					t.Fatalf("labels %v and %v overlap, points %v", a, b, points)
				}
			}
		}
	})
}

func TestHatchStaysInside(t *testing.T) {
	r := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 33, Y: 27}}
	var path vg.Path
	hatchPath(&path, r, 3)
	if len(path) == 0 {
		t.Fatal("no hatch")
	}
	for _, c := range path {
		if c.Pos.X < r.Min.X || c.Pos.X > r.Max.X || c.Pos.Y < r.Min.Y-1e-9 || c.Pos.Y > r.Max.Y+1e-9 {
			t.Errorf("%v is outside of %v", c.Pos, r)
		}
	}
}

func TestClear(t *testing.T) {
	for _, tt := range [][5]vg.Length{{0, 10, 4, 4, 10}, {0, 10, 7, 0, 7}, {0, 10, 0, 0, 10}, {0, 10, 12, 0, 10}} {
		if low, high := clear(tt[0], tt[1], tt[2]); low != tt[3] || high != tt[4] {
			t.Errorf("clear(%v, %v, %v) = %v, %v", tt[0], tt[1], tt[2], low, high)
		}
	}
}

func labels(ticks []plot.Tick) string {
	var out []string
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	tests := []struct {
		ticker   plot.Ticker
		min, max float64
		want     string
	}{
		{byteTicks{4}, 0, 139264, "0 B 64 KiB 128 KiB"},
		{byteTicks{8}, 0, 1.5 * (1 << 20), "0 B 256 KiB 512 KiB 768 KiB 1 MiB 1.25 MiB 1.5 MiB"},
		{byteTicks{4}, 0, 1, "0 B 1 B"},
		{byteTicks{4}, 0, math.MaxInt64, "0 B 2 EiB 4 EiB 6 EiB 8 EiB"},
		{countTicks{10}, 0, 356, "0 50 100 150 200 250 300 350"},
		{countTicks{5}, -3, 3, "-2 0 2"},
		{countTicks{10}, 0, 1, "0 1"},
		{overheadTicks{}, 0, 20, "0 1% 3% 10% 30% 100% ×4 ×10"},
		{overheadTicks{}, 0, 0.02, "0 1%"},
		{durationTicks{}, 5e3, 2e6, "10 µs 100 µs 1 ms"},
		{durationTicks{}, 1.5e3, 6e3, "2 µs 5 µs"},
		{gapTicks{}, -0.04, 0.2, "0 1% 3% 10% -1% -3%"},
		{decadeTicks{}, 80, 3e6, "100 1k 10k 100k 1M"},
		{decadeTicks{}, 15, 60, "20 50"},
		{sparse{decadeTicks{}, 3}, 80, 3e6, "100 10k 1M"},
		{from{decadeTicks{}, 300}, 80, 3e4, "1k 10k"},
		{shareTicks{}, 0, 1, "0% 20% 40% 60% 80% 100%"},
	}
	for _, tt := range tests {
		got := strings.ReplaceAll(labels(tt.ticker.Ticks(tt.min, tt.max)), "−", "-")
		if got != tt.want {
			t.Errorf("%T over [%g, %g]: %s, want %s", tt.ticker, tt.min, tt.max, got, tt.want)
		}
	}
}

func TestOverheadScale(t *testing.T) {
	s := overheadScale{}
	last := -1.0
	for _, x := range []float64{0, 0.001, 0.01, 0.1, 1, 9} {
		v := s.Normalize(0, 9, x)
		if v <= last {
			t.Errorf("not increasing at %v: %v after %v", x, v, last)
		}
		last = v
	}
	if s.Normalize(0, 9, 0) != 0 || last != 1 {
		t.Errorf("ends at %v and %v", s.Normalize(0, 9, 0), last)
	}
}

// TestSubsetFont checks that every glyph of a subset has the outline and the
// width that it has in the whole font, composite ones too.
func TestSubsetFont(t *testing.T) {
	used := []rune("aAgÄé×−µ→ 0189~⁰日")
	slices.Sort(used)
	cut, err := subsetFont(liberationsansregular.TTF, used)
	if err != nil {
		t.Fatal(err)
	}
	if len(cut) > 20_000 {
		t.Errorf("%d bytes for %d characters", len(cut), len(used))
	}
	whole, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	part, err := sfnt.Parse(cut)
	if err != nil {
		t.Fatal(err)
	}
	var buf sfnt.Buffer
	ppem := fixed.I(200)
	missing := 0
	for _, r := range used {
		a, _ := whole.GlyphIndex(&buf, r)
		b, err := part.GlyphIndex(&buf, r)
		if err != nil {
			t.Fatal(err)
		}
		if a == 0 {
			missing++
			continue
		}
		if b == 0 {
			t.Errorf("%q is not in the subset", r)
			continue
		}
		wa, err1 := whole.GlyphAdvance(&buf, a, ppem, font.HintingNone)
		wb, err2 := part.GlyphAdvance(&buf, b, ppem, font.HintingNone)
		if err1 != nil || err2 != nil || wa != wb {
			t.Errorf("%q is %v wide, %v in the subset (%v, %v)", r, wa, wb, err1, err2)
		}
		sa, err1 := whole.LoadGlyph(&buf, a, ppem, nil)
		outlineA := slices.Clone(sa)
		sb, err2 := part.LoadGlyph(&buf, b, ppem, nil)
		if err1 != nil || err2 != nil || !slices.Equal(outlineA, sb) {
			t.Errorf("%q has another outline in the subset (%v, %v)", r, err1, err2)
		}
	}
	if missing == len(used) {
		t.Error("no character is in the font")
	}
	if _, err := subsetFont(liberationsansregular.TTF[:8], used); err == nil {
		t.Error("half a font was accepted")
	}
}

func TestRunesUsed(t *testing.T) {
	svg := `<text x="1" style="font-weight:bold">b&lt;a</text><text style="font-weight:normal">n</text>`
	if got := string(runesUsed(svg, "font-weight:bold")); got != "<ab" {
		t.Errorf("got %q", got)
	}
}

func TestContrast(t *testing.T) {
	if c := contrast(color.NRGBA{0, 0, 0, 255}); math.Abs(c-21) > 0.01 {
		t.Errorf("black on white: %v", c)
	}
	if c := contrast(blue); math.Abs(c-5.2) > 0.1 {
		t.Errorf("blue on white: %v", c)
	}
}
