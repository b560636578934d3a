package table

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape returns s so that the format shows it literally.
func Escape(s string, f Format) string {
	switch f {
	case Markdown:
		return markdownEscaper.Replace(s)
	case HTML:
		return html.EscapeString(s)
	case LaTeX:
		return latex(s)
	}
	return s
}

// Markdown: what could start an emphasis, a link, a tag, an entity, a mention
// or a new cell.
var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`,
	`|`, `\|`, `~`, `\~`, `#`, `\#`, `$`, `\$`,
	`&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`, `@`, `&#64;`,
)

// LaTeX: the ten special characters, those that the default encoding of fonts
// shows as something else, and the symbols that reports use.
var latexEscaper = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`,
	`_`, `\_`, `%`, `\%`, `#`, `\#`, `&`, `\&`, `$`, `\$`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `"`, `\char34{}`,
	`×`, `$\times$`, `−`, `$-$`, `≤`, `$\le$`, `≥`, `$\ge$`, `→`, `$\to$`,
	`µ`, `$\mu$`, `…`, `\dots{}`, `–`, `--`, string(utf8.RuneError), `?`,
)

// latex escapes for every engine and class: letters that the smallest setup
// does not know are written as code points, which tell names apart and compile.
func latex(s string) string {
	var b strings.Builder
	for _, part := range strings.SplitAfter(s, "") {
		r, _ := utf8.DecodeRuneInString(part)
		switch escaped := latexEscaper.Replace(part); {
		case escaped != part || r < utf8.RuneSelf || r >= 'À' && r <= 'ſ':
			b.WriteString(escaped)
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

// asciiWords are the symbols of reports in plain text.
var asciiWords = strings.NewReplacer(
	"×", "x", "−", "-", "…", "...", "µ", "u", "→", "->", "≤", "<=", "≥", ">=", "–", "-",
)

// ASCII returns s without any character beyond ASCII: symbols of reports as
// words, others as Go escapes.
func ASCII(s string) string {
	s = asciiWords.Replace(s)
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// Superscript returns the mark of a footnote, as it stands in the text.
func Superscript(n int, o Options) string {
	digits := strconv.Itoa(n)
	switch {
	case o.Format == Markdown || o.Format == HTML:
		return "<sup>" + digits + "</sup>"
	case o.Format == LaTeX:
		return "$^{" + digits + "}$"
	case o.Plain:
		return "(" + digits + ")"
	}
	return superscripts.Replace(digits)
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// compose returns the cell as the format wants it, escaped.
func (c Cell) compose(o Options) string {
	s := Escape(o.Say(c.Text), o.Format)
	if c.Open {
		s += openMark(o)
	}
	if c.Note > 0 {
		s += Superscript(c.Note, o)
	}
	return c.styled(s, o)
}

func openMark(o Options) string {
	switch {
	case o.Format == Markdown:
		return `\~`
	case o.Format == LaTeX:
		return `$^{\dagger}$`
	case o.Plain && o.Format == Text:
		return " open"
	}
	return "~"
}

func (c Cell) styled(s string, o Options) string {
	if s == "" || c.Style == Normal {
		return s
	}
	switch o.Format {
	case Markdown:
		if c.Style == Best {
			return "**" + s + "**"
		}
	case LaTeX:
		switch c.Style {
		case Best:
			return `\textbf{` + s + `}`
		case Failed:
			return `\textit{` + s + `}`
		}
	case HTML:
		class := map[Style]string{Best: "best", Failed: "failed", Weak: "weak"}[c.Style]
		return `<span class="` + class + `">` + s + `</span>`
	case Text:
		if o.Color {
			code := map[Style]string{Best: "32", Failed: "1;31", Weak: "2"}[c.Style]
			return "\x1b[" + code + "m" + s + "\x1b[0m"
		}
	}
	return s
}
