package report

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is the resolution of PNG files.
const pngDPI = 200

// Figure is a plot that can be written in several formats, each time from the
// same drawing. The zero value is an empty picture. Writing the same figure
// twice gives the same bytes.
type Figure struct {
	Title   string // what is drawn
	Caption string // what it says, in one sentence, for those who cannot see it

	width, height vg.Length
	draw          func(draw.Canvas)
}

func (f Figure) size() (w, h vg.Length) {
	if f.width <= 0 || f.height <= 0 {
		return 4 * vg.Inch, 3 * vg.Inch
	}
	return f.width, f.height
}

func (f Figure) paint(c vg.CanvasSizer) {
	canvas := draw.New(c)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	if f.draw != nil {
		f.draw(canvas)
	}
}

// WritePNG writes the figure as PNG of 200 dots per inch.
func (f Figure) WritePNG(w io.Writer) error { return f.writePNG(w, pngDPI) }

func (f Figure) writePNG(w io.Writer, dpi int) error {
	width, height := f.size()
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	f.paint(c)
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	return nil
}

// WriteSVG writes the figure as SVG that carries the glyphs it uses.
func (f Figure) WriteSVG(w io.Writer) error {
	body, err := f.svg(true)
	if err == nil {
		_, err = w.Write(body)
	}
	if err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	return nil
}

// inline returns the figure as an element of an HTML page, without fonts.
func (f Figure) inline() ([]byte, error) {
	body, err := f.svg(false)
	if err != nil {
		return nil, fmt.Errorf("figure %q: %w", f.Title, err)
	}
	return body[bytes.Index(body, []byte("<svg")):], nil
}

// svg draws the figure and gives it a title and a description for readers of
// the screen.
func (f Figure) svg(fonts bool) ([]byte, error) {
	width, height := f.size()
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	f.paint(c)
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		return nil, err
	}
	// Where the embedded face cannot be read, any sans-serif is better than
	// the default. Texts are escaped, so this meets attributes alone.
	drawn := bytes.ReplaceAll(raw.Bytes(), []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`))
	open := bytes.Index(drawn, []byte("<svg"))
	if open < 0 {
		return nil, errors.New("no svg element was drawn")
	}
	at := open + bytes.IndexByte(drawn[open:], '>')
	var out bytes.Buffer
	out.Write(drawn[:at])
	fmt.Fprintf(&out, ` role="img" aria-label="%s">`+"\n<title>%[1]s</title>\n<desc>%s</desc>\n",
		html.EscapeString(f.Title), html.EscapeString(f.Caption))
	if fonts {
		faces, err := fontFaces(drawn)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "<defs><style>\n%s</style></defs>\n", faces)
	}
	out.Write(drawn[at+1:])
	return out.Bytes(), nil
}

// Save writes the figure to dir/base.png and dir/base.svg, each by way of a
// temporary file, and returns the paths. The directory must exist.
func Save(dir, base string, f Figure) ([]string, error) {
	var paths []string
	for _, out := range []struct {
		ext   string
		write func(io.Writer) error
	}{{".png", f.WritePNG}, {".svg", f.WriteSVG}} {
		path := filepath.Join(dir, base+out.ext)
		if err := saveFile(path, out.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// saveFile replaces a file at once, so that nobody ever sees half of it.
func saveFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("save figure: %w", err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = fmt.Errorf("save figure: %w", err)
		}
	}()
	if err = write(tmp); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
