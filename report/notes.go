package report

import (
	"fmt"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report/internal/table"
)

// The most kinds of note, and names for each, that text shows.
const (
	mostNotes = 8
	mostNames = 3
)

// notesSection says where the records are not the whole truth: one line for
// each kind of warning with the models it stands for. What a warning says
// before its colon is its kind; the records have all of it. Warnings of
// measured times are not repeated here.
func notesSection(recs []bench.Record, o Options) (section, bool) {
	var kinds []string
	models := map[string][]string{} // by kind, in order of appearance
	seen := map[[2]string]bool{}
	for i := range recs {
		for _, w := range recs[i].Warnings {
			kind, _, _ := strings.Cut(w, ": ")
			key := [2]string{kind, recs[i].Model}
			if kind == "planning time" || seen[key] {
				continue
			}
			seen[key] = true
			if models[kind] == nil {
				kinds = append(kinds, kind)
			}
			models[kind] = append(models[kind], recs[i].Model)
		}
	}
	if len(kinds) == 0 {
		return section{}, false
	}
	s := section{heading: "notes, in full in the records"}
	for i, kind := range kinds {
		if i == mostNotes && o.Format != HTML {
			s.list = append(s.list, fmt.Sprintf("[%s]", others(len(kinds)-mostNotes)))
			break
		}
		names := models[kind]
		text := strings.Join(names[:min(mostNames, len(names))], ", ")
		if n := len(names) - mostNames; n > 0 {
			text += fmt.Sprintf(" [%s]", others(n))
		}
		s.notes = append(s.notes, note{text: table.Clean(kind) + ": " + text})
	}
	return s, true
}
