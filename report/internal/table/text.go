package table

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// gutter separates columns in text.
const gutter = "  "

// Width returns the number of terminal columns that s takes, ANSI colours not
// counted, wide and combining characters as terminals show them.
func Width(s string) int { return twwidth.WidthNoCache(s) }

// Clean makes a name safe to print on one line: whatever is not a printable
// character, line breaks, escapes and direction marks among them, becomes U+FFFD.
func Clean(s string) string {
	if len(s) > 4096 { // far above any width; keep both ends
		s = s[:1024] + s[len(s)-1024:]
	}
	var b strings.Builder
	marks := maxMarks
	for _, r := range strings.ToValidUTF8(s, string(unicode.ReplacementChar)) {
		switch {
		case unicode.IsLetter(r):
			marks = 0
		case unicode.Is(unicode.M, r):
			marks++
		default:
			marks = maxMarks
		}
		if r != ' ' && (!unicode.IsPrint(r) || unicode.Is(unicode.M, r) && marks > maxMarks) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxMarks is how many combining marks a letter may carry.
const maxMarks = 2

// Shorten returns s in at most n columns: the middle gives way to an ellipsis,
// and more is kept of the tail, where names differ.
func Shorten(s string, n int) string { return shorten(s, n, "…") }

func shorten(s string, n int, ellipsis string) string {
	if Width(s) <= n {
		return s
	}
	n -= Width(ellipsis)
	if n < 2 {
		return head(s, n+Width(ellipsis))
	}
	tail := n * 6 / 10
	return head(s, n-tail) + ellipsis + tailOf(s, tail)
}

// Say returns s in the characters that the options allow.
func (o Options) Say(s string) string {
	if o.Plain && o.Format == Text {
		return ASCII(s)
	}
	return s
}

func (o Options) ellipsis() string { return o.Say("…") }

// Shorten is Shorten in the characters that the options allow.
func (o Options) Shorten(s string, n int) string { return shorten(o.Say(s), n, o.ellipsis()) }

// Truncate returns s in at most n columns, its end replaced by an ellipsis.
func (o Options) Truncate(s string, n int) string {
	s = o.Say(s)
	if Width(s) <= n {
		return s
	}
	return head(s, n-Width(o.ellipsis())) + o.ellipsis()
}

func head(s string, n int) string {
	for i, w := range s {
		if n -= Width(string(w)); n < 0 {
			return s[:i]
		}
	}
	return s
}

func tailOf(s string, n int) string {
	runes := []rune(s)
	i := len(runes)
	for i > 0 {
		if n -= Width(string(runes[i-1])); n < 0 {
			break
		}
		i--
	}
	return string(runes[i:])
}

// Wrap breaks a paragraph into lines of at most n columns at spaces; words
// that are longer are shortened. Lines after the first are indented.
func (o Options) Wrap(s string, n, indent int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(o.Say(s)) {
		word = o.Shorten(word, n-indent)
		w := Width(word)
		switch {
		case line == "":
			line, used = word, w
		case used+1+w <= n:
			line, used = line+" "+word, used+1+w
		default:
			lines = append(lines, line)
			line, used = strings.Repeat(" ", indent)+word, indent+w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// ColumnWidths returns the width of every column as text.
func (t *Table) ColumnWidths(o Options) []int {
	out := make([]int, len(t.Head))
	for i, h := range t.Head {
		for line := range strings.SplitSeq(o.Say(h), "\n") {
			out[i] = max(out[i], Width(line))
		}
	}
	for _, rows := range [][][]Cell{t.Body, t.Foot} {
		for _, row := range rows {
			for i, c := range row {
				out[i] = max(out[i], Width(c.compose(o)))
			}
		}
	}
	return out
}

// LineWidth returns the width of a line of columns as text, without indent.
func LineWidth(columns []int) int {
	sum := 0
	for _, w := range columns {
		sum += w
	}
	return sum + len(gutter)*max(len(columns)-1, 0)
}

// writeText copies the rendered lines, indented, without trailing spaces, and
// with a rule before the foot.
func (t *Table) writeText(w io.Writer, rendered *bytes.Buffer, o Options) error {
	header := 1
	for _, h := range t.Head {
		header = max(header, 1+strings.Count(h, "\n"))
	}
	indent := strings.Repeat(" ", o.Indent)
	out := bufio.NewWriter(w)
	lines := strings.Split(strings.TrimSuffix(rendered.String(), "\n"), "\n")
	for i, line := range lines {
		if i == header+len(t.Body) && len(t.Foot) > 0 {
			out.WriteString(indent + strings.Repeat("-", LineWidth(t.ColumnWidths(o))) + "\n")
		}
		out.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
	return out.Flush()
}
