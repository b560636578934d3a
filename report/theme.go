package report

import (
	"hash/fnv"
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours by role. The Okabe–Ito palette is told apart by people of every kind
// of colour vision; dashes, glyphs and hatches repeat what it says for grey
// print.
var (
	ink       = color.NRGBA{0x1A, 0x1A, 0x1A, 0xFF}
	inkSoft   = color.NRGBA{0x55, 0x55, 0x55, 0xFF}
	gridColor = color.NRGBA{0xE1, 0xE1, 0xE1, 0xFF}

	sky       = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}
	orange    = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}
	green     = color.NRGBA{0x00, 0x9E, 0x73, 0xFF}
	vermilion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	blue      = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	purple    = color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}
	grey      = color.NRGBA{0x8C, 0x8C, 0x8C, 0xFF}
	// faintColor is that of strategies a crowded figure does not name.
	faintColor = color.NRGBA{0xB8, 0xB8, 0xB8, 0xFF}
	black      = color.NRGBA{0x00, 0x00, 0x00, 0xFF}

	lineBound = draw.LineStyle{Color: green, Width: vg.Points(1.4)}
	lineArena = draw.LineStyle{Color: vermilion, Width: vg.Points(1.2), Dashes: []vg.Length{5, 3}}
)

// look is how a strategy appears in every figure.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

// looks are fixed for ever: a reader who has learnt them once can read every
// figure.
var looks = map[string]look{
	"exact":                {black, nil, disc},
	"litert":               {blue, []vg.Length{6, 2}, square},
	"tflm":                 {vermilion, []vg.Length{2, 2}, pointUp},
	"greedy-size":          {green, []vg.Length{9, 3, 2, 3}, diamond},
	"greedy-size-best-fit": {sky, []vg.Length{4, 2}, pentagon},
	"best-fit":             {purple, []vg.Length{5, 2, 1, 2, 1, 2}, pointDown},
	"first-fit":            {orange, []vg.Length{3, 3}, pointRight},
	"naive":                {grey, []vg.Length{1, 2}, draw.CrossGlyph{}},
}

// searchLooks are those of searches, which appear together in the plots of
// their progress: colours of their own, dark enough for thin lines.
var searchLooks = map[string]look{
	"anytime":      {color.NRGBA{0x88, 0x22, 0x55, 0xFF}, []vg.Length{7, 2}, kite},
	"ejection":     {color.NRGBA{0xA8, 0x6A, 0x1E, 0xFF}, []vg.Length{2, 1.5}, hourglass},
	"skyline-beam": {color.NRGBA{0x14, 0x8A, 0x96, 0xFF}, []vg.Length{5, 1.5, 1, 1.5}, hexagon},
	"skyline-best": {color.NRGBA{0x4B, 0x3F, 0xC0, 0xFF}, []vg.Length{4, 1}, sparkle},
}

// otherDashes and otherGlyphs tell strategies without a colour of their own
// apart.
var (
	otherDashes = [][]vg.Length{{8, 2}, {1, 3}, {6, 2, 1, 2}, {3, 1}, {10, 4}, {2, 1, 2, 4}, {7, 1}}
	otherGlyphs = []draw.GlyphDrawer{pointLeft, star, draw.PlusGlyph{}, bar, draw.RingGlyph{}}
)

// lookOf returns the look of a strategy. Unknown ones share the colour set
// aside for them, with a dash and a glyph that follow from the name.
func lookOf(strategy string) look {
	for _, known := range []map[string]look{looks, searchLooks} {
		if l, ok := known[strategy]; ok {
			return l
		}
	}
	h := fnv.New32a()
	h.Write([]byte(strategy))
	n := h.Sum32()
	return look{sky, otherDashes[n%uint32(len(otherDashes))], otherGlyphs[n/7%uint32(len(otherGlyphs))]}
}

// line returns the style of the strategy's lines. Light colours are drawn
// thicker.
func (l look) line() draw.LineStyle {
	width := vg.Points(1.5)
	if luminance(l.color) > 0.35 {
		width = vg.Points(2.1)
	}
	return draw.LineStyle{Color: l.color, Width: width, Dashes: l.dashes}
}

// luminance is the relative luminance of WCAG, 0 for black and 1 for white.
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// contrast is the contrast ratio of WCAG to white.
func contrast(c color.NRGBA) float64 { return 1.05 / (luminance(c) + 0.05) }

// textStyle returns the style of a text in the sans-serif face.
func textStyle(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}

// The text sizes.
const (
	titleSize = 11
	labelSize = 9
	tickSize  = 8
)

// newPlot returns an empty plot in the theme.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: inkSoft, Width: vg.Points(0.6)}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = vg.Points(3)
		style := a.Label.TextStyle
		a.Label.TextStyle = textStyle(labelSize, ink)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = style.XAlign, style.YAlign
		a.Label.TextStyle.Rotation = style.Rotation
		a.Label.Padding = vg.Points(4)
		tick := a.Tick.Label
		a.Tick.Label = textStyle(tickSize, ink)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		a.Tick.Label.Rotation = tick.Rotation
	}
	return p
}
