package report

import (
	"bytes"
	"html/template"

	"github.com/arenalab/arenalab/report/internal/table"
)

// page is a whole document: no script, nothing loaded from elsewhere, and a
// policy that says so.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 15px/1.5 Arial, Helvetica, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin-bottom: 0; }
h2 { font-size: 1.05rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: left; font-weight: normal; white-space: nowrap; }
th.r, td.r { text-align: right; }
thead th { border-bottom: 1px solid #555; font-weight: bold; vertical-align: bottom; }
tfoot tr:first-child > * { border-top: 1px solid #555; }
tbody tr:nth-child(even) { background: #f4f4f4; }
.best { font-weight: bold; }
.failed { font-style: italic; color: #a33c00; }
.weak, .note { color: #555; }
.wide { overflow-x: auto; }
figure { margin: 2rem 0; }
figure svg { max-width: 100%; height: auto; }
@media print { body { margin: 0; max-width: none; } figure { break-inside: avoid; } }
{{.Fonts}}</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Counts}}</p>
{{range .Closing}}<p><strong>{{.}}</strong></p>
{{end}}{{range .Sections}}<section>
{{with .Heading}}<h2>{{.}}</h2>
{{end}}{{with .Table}}<div class="wide">
{{.}}</div>
{{end}}{{with .List}}<ul>
{{range .}}<li>{{.}}</li>
{{end}}</ul>
{{end}}{{range .Notes}}<p class="note">{{with .Number}}<sup>{{.}}</sup> {{end}}{{.Text}}</p>
{{end}}</section>
{{end}}{{range .Figures}}<figure>
{{.Drawing}}<figcaption>{{.Caption}}</figcaption>
</figure>
{{end}}</main>
</body>
</html>
`))

type pageNote struct {
	Number int
	Text   string
}

type pageSection struct {
	Heading string
	Table   template.HTML // cells are escaped by package table
	List    []string
	Notes   []pageNote
}

type pageFigure struct {
	Drawing template.HTML // texts are escaped by the canvas
	Caption string
}

func (d *document) html(buf *bytes.Buffer, o Options) error {
	data := struct {
		Title, Counts string
		Fonts         template.CSS // base64 of our own making
		Sections      []pageSection
		Closing       []string
		Figures       []pageFigure
	}{Title: d.title, Counts: d.counts, Closing: d.closing}
	for _, s := range d.sections {
		ps := pageSection{Heading: s.heading, List: s.list}
		if s.table != nil {
			var tab bytes.Buffer
			if err := s.table.Render(&tab, table.Options{Format: table.HTML}); err != nil {
				return err
			}
			ps.Table = template.HTML(tab.String())
		}
		for _, n := range s.notes {
			ps.Notes = append(ps.Notes, pageNote{n.number, n.text})
		}
		data.Sections = append(data.Sections, ps)
	}
	var drawn []byte
	for _, f := range o.Figures {
		svg, err := f.inline()
		if err != nil {
			return err
		}
		drawn = append(drawn, svg...)
		data.Figures = append(data.Figures, pageFigure{template.HTML(svg), f.Caption})
	}
	fonts, err := fontFaces(drawn)
	if err != nil {
		return err
	}
	data.Fonts = template.CSS(fonts)
	return page.Execute(buf, data)
}
