package datasets_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/strategies"
)

// TestGrades plans the graded set with all strategies, and compares what meets
// the optimum with the grades. Searches get a few times what the grade says, for
// machines differ; an open table is not tried.
func TestGrades(t *testing.T) {
	if os.Getenv("ARENALAB_FULL") == "" {
		t.Skip("plans for minutes; set ARENALAB_FULL=1")
	}
	var rules, searches []strategies.Strategy
	for _, s := range strategies.All() {
		switch name := s.Info().Name; {
		case name == "skyline-best": // below
		case name == "boxing", strings.Contains(name, "hill-climb"): // they search, but not for long
		case slices.Contains([]string{"anytime", "ejection", "exact", "skyline-beam"}, name):
			searches = append(searches, s)
		default:
			rules = append(rules, s)
		}
	}
	best, err := strategies.Lookup("skyline-best")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range datasets.Graded() {
		s, b := g.Build()
		met := func(list []strategies.Strategy, enough int, limit time.Duration) (n int) {
			for _, st := range list {
				if n >= enough {
					break
				}
				plan, err := st.Plan(t.Context(), s.Table, strategies.Options{TimeLimit: limit, Decisions: -1})
				if err != nil {
					continue // fixed offsets, or too large
				}
				if err := lifetime.Check(s.Table, plan); err != nil {
					t.Errorf("%s: %s: %v", g.Name, st.Info().Name, err)
				}
				if plan.Arena <= b.Value {
					n++
				}
			}
			return n
		}
		var grade datasets.Grade
		switch n := met(rules, len(rules), time.Minute); {
		case 2*n > len(rules):
			grade = datasets.GradeMost
		case n > 0:
			grade = datasets.GradeRule
		case met(best, 1, time.Minute) > 0:
			grade = datasets.GradePortfolio
		case g.Grade == datasets.GradeOpen:
			grade = datasets.GradeOpen
		case g.Grade == datasets.GradeMinute && met(searches, 1, 2*time.Minute) > 0:
			grade = datasets.GradeMinute
		case met(searches, 1, 10*time.Second) > 0:
			grade = datasets.GradeSecond
		}
		if grade != g.Grade {
			t.Errorf("%s: grade %v, measured %v", g.Name, g.Grade, grade)
		}
	}
}
