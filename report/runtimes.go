package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// Runtimes writes the way from one runtime to another for one model: a row for
// each rule that makes a difference, with the bytes it costs or saves.
func Runtimes(w io.Writer, model string, changes []bench.Change, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return fmt.Errorf("report: no runtimes to compare")
	}
	t := &table.Table{Head: []string{"rule", "was", "is", "arena", "change", "bound", "change", "buffers"}}
	first, last := changes[0], changes[len(changes)-1]
	var idle []string
	for i, c := range changes {
		if i > 0 && c.Bytes == changes[i-1].Bytes {
			idle = append(idle, fmt.Sprintf("%s (%s → %s)", c.What, c.From, c.To))
			continue
		}
		line := []table.Cell{{Text: c.What}, {Text: table.Clean(c.From)}, {Text: table.Clean(c.To)}, {Text: exact(c.Arena)}}
		if i == 0 {
			line[0].Text = "start"
			line = append(line, table.Cell{}, table.Cell{Text: exact(c.Bound)}, table.Cell{})
		} else {
			p := changes[i-1]
			line = append(line, table.Cell{Text: signed(c.Arena - p.Arena)},
				table.Cell{Text: exact(c.Bound)}, table.Cell{Text: signed(c.Bound - p.Bound)})
		}
		t.Body = append(t.Body, append(line, table.Cell{Text: fmt.Sprint(c.Buffers)}))
	}
	t.Foot = append(t.Foot, []table.Cell{
		{Text: "in all"}, {}, {}, {Text: exact(last.Arena)}, {Text: signed(last.Arena - first.Arena)},
		{Text: exact(last.Bound)}, {Text: signed(last.Bound - first.Bound)}, {Text: fmt.Sprint(last.Buffers)},
	})
	s := section{heading: "bytes of arena and of its proven lower bound, a rule at a time; the changes add up to the difference", table: t}
	if o.Format == Text {
		shortenNames(t, o.Width-indent, o)
	}
	if len(idle) > 0 {
		s.notes = append(s.notes, note{text: "without effect here: " + strings.Join(idle, ", ")})
	}
	if first.Persistent != last.Persistent {
		s.notes = append(s.notes, note{text: fmt.Sprintf("outside the arena: %s B, then %s B", exact(first.Persistent), exact(last.Persistent))})
	}
	d := &document{title: table.Clean(model), sections: []section{s}, closing: []string{runtimesVerdict(changes)}}
	return d.write(w, o)
}

func signed(n int64) string {
	switch {
	case n > 0:
		return "+" + exact(n)
	case n < 0:
		return "−" + exact(-n)
	}
	return "="
}

// runtimesVerdict names the rule that moves most.
func runtimesVerdict(changes []bench.Change) string {
	first, last := changes[0], changes[len(changes)-1]
	most := 0
	moved := func(i int) int64 {
		d := changes[i].Arena - changes[i-1].Arena
		return max(d, -d)
	}
	for i := 1; i < len(changes); i++ {
		if most == 0 || moved(i) > moved(most) {
			most = i
		}
	}
	text := fmt.Sprintf("%s → %s B (%s)", exact(first.Arena), exact(last.Arena), signed(last.Arena-first.Arena))
	if most > 0 && moved(most) > 0 {
		c := changes[most]
		text += fmt.Sprintf("; what moves most: %s %s → %s (%s)", c.What, c.From, c.To, signed(c.Arena-changes[most-1].Arena))
	}
	return text
}
