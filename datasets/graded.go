package datasets

import (
	"fmt"
	"math/rand/v2"

	"github.com/arenalab/arenalab/lifetime"
)

// Grade says what it takes to plan a table within its optimum; where that is
// not known, within its peak live bytes.
type Grade int

// The grades, as measured with the strategies of this module.
const (
	// GradeMost: more than half of the strategies do that place each buffer once.
	GradeMost Grade = iota + 1
	// GradeRule: one of these does.
	GradeRule
	// GradePortfolio: skyline-best does, the best of several rules.
	GradePortfolio
	// GradeSecond: a search does, within two seconds.
	GradeSecond
	// GradeMinute: a search does, within a minute.
	GradeMinute
	// GradeOpen: none does within a minute; some may be open for much longer.
	GradeOpen
)

var gradeNames = [...]string{"", "most rules", "a rule", "portfolio", "seconds", "a minute", "open"}

// String returns a word or two.
func (g Grade) String() string {
	if g < 1 || int(g) >= len(gradeNames) {
		return fmt.Sprintf("grade(%d)", int(g))
	}
	return gradeNames[g]
}

// GradedTable is a table of the graded set: how it is made, and what is known
// of it.
type GradedTable struct {
	Name    string
	Family  string // of Synthetics, or one of those that only the graded set has
	Buffers int    // of the table
	Seed    uint64
	Peak    int64 // peak live bytes
	Optimum int64 // bytes; 0 if it is not known
	Grade   Grade
	make    func(r *rand.Rand, n int) *Synthetic
	prove   func(s *Synthetic) *lifetime.Bound // nil: peak live bytes
}

// Build makes the table, with a plan of its optimum if that is known, and a
// bound that lifetime.CheckBound accepts: its value is the optimum, or the peak
// live bytes if that is not known.
func (g GradedTable) Build() (*Synthetic, *lifetime.Bound) {
	s := g.make(rand.New(rand.NewPCG(g.Seed, 0)), g.Buffers)
	s.Family, s.Seed, s.Table.Name = g.Family, g.Seed, g.Name
	if g.prove != nil {
		return s, g.prove(s)
	}
	return s, loadBound(s.Table)
}

// loadBound returns the peak live bytes and what is live then.
func loadBound(t *lifetime.Table) *lifetime.Bound {
	b := &lifetime.Bound{Kind: lifetime.BoundLoad}
	b.Step, b.Value = t.LiveBytes().Peak()
	last := -1
	for _, p := range t.Pieces() {
		if p.Lower <= b.Step && b.Step < p.Upper && p.Buffer != last {
			b.Buffers = append(b.Buffers, p.Buffer)
			last = p.Buffer
		}
	}
	return b
}
