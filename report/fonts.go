package report

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html"
	"slices"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/sfnt"
)

// fontFaces returns style rules with the fonts that the texts of SVG drawings
// need, cut down to the glyphs they use: a few kilobytes instead of half a
// megabyte for each face.
func fontFaces(svg []byte) ([]byte, error) {
	var out bytes.Buffer
	for _, face := range []struct {
		weight string
		ttf    []byte
	}{{"normal", liberationsansregular.TTF}, {"bold", liberationsansbold.TTF}} {
		used := runesUsed(string(svg), "font-weight:"+face.weight)
		if len(used) == 0 {
			continue
		}
		cut, err := subsetFont(face.ttf, used)
		if err != nil {
			return nil, fmt.Errorf("embed font: %w", err)
		}
		fmt.Fprintf(&out, "@font-face{font-family:\"Liberation Sans\";font-weight:%s;src:url(data:font/ttf;base64,%s) format(\"truetype\")}\n",
			face.weight, base64.StdEncoding.EncodeToString(cut))
	}
	return out.Bytes(), nil
}

// runesUsed returns the characters of the text elements whose tag contains the
// style, ascending.
func runesUsed(svg, style string) []rune {
	var used []rune
	for {
		_, rest, ok := strings.Cut(svg, "<text ")
		if !ok {
			break
		}
		tag, rest, _ := strings.Cut(rest, ">")
		content, rest, _ := strings.Cut(rest, "</text>")
		if strings.Contains(tag, style) {
			used = append(used, []rune(html.UnescapeString(content))...)
		}
		svg = rest
	}
	slices.Sort(used)
	return slices.Compact(used)
}

// subsetFont returns a TrueType font with the glyphs of the given characters
// alone, numbered anew and without instructions. Characters that the font lacks
// or that lie beyond the basic plane are left out.
func subsetFont(ttf []byte, used []rune) ([]byte, error) {
	f, err := newFontTables(ttf)
	if err != nil {
		return nil, err
	}
	parsed, err := sfnt.Parse(ttf)
	if err != nil {
		return nil, err
	}
	var buf sfnt.Buffer
	glyphs := []uint16{0} // old numbers by new ones; 0 is the box for missing ones
	numbers := map[uint16]uint16{0: 0}
	add := func(old uint16) uint16 {
		if n, ok := numbers[old]; ok {
			return n
		}
		n := uint16(len(glyphs))
		numbers[old] = n
		glyphs = append(glyphs, old)
		return n
	}
	var chars, index []uint16
	for _, r := range used {
		g, err := parsed.GlyphIndex(&buf, r)
		if err != nil || g == 0 || r >= 0xFFFF {
			continue
		}
		chars, index = append(chars, uint16(r)), append(index, add(uint16(g)))
	}
	var glyf []byte
	loca := []uint32{0}
	for i := 0; i < len(glyphs); i++ { // grows by the parts of composite glyphs
		glyf = append(glyf, stripGlyph(f.glyph(glyphs[i]), add)...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		loca = append(loca, uint32(len(glyf)))
	}
	return f.assemble(glyphs, glyf, loca, cmapTable(chars, index)), nil
}

// fontTables are the tables of a TrueType file that a subset needs.
type fontTables struct {
	byTag map[string][]byte
	long  bool // loca has 32-bit entries
	wide  int  // number of entries of hmtx with a width of their own
}

func newFontTables(ttf []byte) (*fontTables, error) {
	f := &fontTables{byTag: map[string][]byte{}}
	if len(ttf) < 12 {
		return nil, fmt.Errorf("font of %d bytes", len(ttf))
	}
	n := int(binary.BigEndian.Uint16(ttf[4:]))
	for i := range n {
		dir := ttf[12+16*i:]
		from, size := binary.BigEndian.Uint32(dir[8:]), binary.BigEndian.Uint32(dir[12:])
		f.byTag[string(dir[:4])] = ttf[from : from+size]
	}
	for _, tag := range []string{"head", "hhea", "hmtx", "maxp", "loca", "glyf", "OS/2", "name"} {
		if f.byTag[tag] == nil {
			return nil, fmt.Errorf("font has no table %q", tag)
		}
	}
	f.long = binary.BigEndian.Uint16(f.byTag["head"][50:]) == 1
	f.wide = int(binary.BigEndian.Uint16(f.byTag["hhea"][34:]))
	return f, nil
}

func (f *fontTables) glyph(n uint16) []byte {
	loca, i := f.byTag["loca"], int(n)
	if f.long {
		return f.byTag["glyf"][binary.BigEndian.Uint32(loca[4*i:]):binary.BigEndian.Uint32(loca[4*i+4:])]
	}
	return f.byTag["glyf"][2*int(binary.BigEndian.Uint16(loca[2*i:])) : 2*int(binary.BigEndian.Uint16(loca[2*i+2:]))]
}

// metrics returns the width and left bearing of a glyph as they stand in hmtx.
func (f *fontTables) metrics(n uint16) []byte {
	hmtx, i := f.byTag["hmtx"], int(n)
	if i < f.wide {
		return hmtx[4*i : 4*i+4]
	}
	out := append([]byte(nil), hmtx[4*(f.wide-1):4*(f.wide-1)+2]...)
	return append(out, hmtx[4*f.wide+2*(i-f.wide):][:2]...)
}

// stripGlyph copies a glyph without its instructions; add gives the parts of a
// composite glyph their new numbers.
func stripGlyph(g []byte, add func(uint16) uint16) []byte {
	if len(g) == 0 {
		return nil
	}
	out := slices.Clone(g)
	if contours := int(int16(binary.BigEndian.Uint16(g))); contours >= 0 {
		at := 10 + 2*contours
		n := int(binary.BigEndian.Uint16(g[at:]))
		out[at], out[at+1] = 0, 0
		return slices.Delete(out, at+2, at+2+n)
	}
	const (
		words, scale, more, xyScale, twoByTwo, instructions = 1, 8, 0x20, 0x40, 0x80, 0x100
	)
	at := 10
	for {
		flags := binary.BigEndian.Uint16(out[at:])
		binary.BigEndian.PutUint16(out[at:], flags&^instructions)
		binary.BigEndian.PutUint16(out[at+2:], add(binary.BigEndian.Uint16(out[at+2:])))
		at += 6
		if flags&words != 0 {
			at += 2
		}
		switch {
		case flags&scale != 0:
			at += 2
		case flags&xyScale != 0:
			at += 4
		case flags&twoByTwo != 0:
			at += 8
		}
		if flags&more == 0 {
			return out[:at]
		}
	}
}
