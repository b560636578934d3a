package bench

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/reorder"
	"github.com/arenalab/arenalab/strategies"
)

// Config says which matrix to run, and how. Strategies must be given; the zero
// value of the rest is a default.
type Config struct {
	Strategies []strategies.Strategy
	Orders     []reorder.Reorderer // of models: by default the stored one
	Profiles   []graph.Profile     // of models: by default litert

	// Reps is the number of timed samples of a cell: 0 as many as Budget
	// allows, 1 only the run that makes the plan, which is enough for sizes.
	Reps int
	// Budget is the time a cell may spend on samples: 50 ms by default. Up to
	// ten times that is spent to get the 6 samples that a confidence interval
	// needs.
	Budget time.Duration
	// Timeout ends a run of a strategy or a reorderer; 0 is no limit. It is
	// given to strategies as their time limit.
	Timeout time.Duration
	// Grace is how long a strategy may take to notice that its time is over
	// before it is abandoned: 2 s by default.
	Grace time.Duration

	Seed uint64
	Ties strategies.Ties
	// Decisions is the budget of searches: 0 their own, below 0 no end but
	// Timeout.
	Decisions int64
	Align     int64 // least alignment of every offset in bytes, 0: that of the profile
	// Validate is one of Validations; "" is the first.
	Validate string
	Workers  int // units at a time; 0: one if times are measured, else GOMAXPROCS
	Tool     string

	Inputs   int            // how many inputs will come, for Progress; 0: unknown
	Progress func(Progress) // called when a cell begins and ends, never twice at a time
}

// Progress says how far a run is.
type Progress struct {
	Done, Total int // cells; Total is an estimate until the last input is read
	Model       string
	Profile     string
	Order       string
	Strategy    string // of the cell that began, or "" when one ended
}

// Cell is a Record with all that it was computed from. What the failure of a
// step left undone is nil. Model, Subgraph and Order are the things that the
// fields of the same names in Record name.
type Cell struct {
	Record
	Model     *graph.Model     // nil for tables
	Subgraph  *graph.Subgraph  // nil for tables
	Order     graph.Order      // empty for tables
	Lifetimes *graph.Lifetimes // nil for tables
	Table     *lifetime.Table  // as the strategies were given it
	Plan      *lifetime.Plan   // also if it is unsafe
	Err       error            // what Record.Error says, to be asked with errors.Is
	Stack     []byte           // where a strategy panicked
}

const (
	defaultBudget = 50 * time.Millisecond
	defaultGrace  = 2 * time.Second
)

// withDefaults returns the configuration with its defaults filled in, or says
// what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	if len(c.Strategies) == 0 {
		return c, errors.New("bench: no strategies")
	}
	if c.Reps < 0 || c.Budget < 0 || c.Timeout < 0 || c.Grace < 0 || c.Workers < 0 {
		return c, errors.New("bench: repetitions, times and workers cannot be negative")
	}
	if c.Align < 0 || c.Align&(c.Align-1) != 0 || c.Align > 1<<30 {
		return c, fmt.Errorf("bench: alignment %d is not a power of two up to 2^30", c.Align)
	}
	if c.Validate == "" {
		c.Validate = ValidateKernels
	}
	if !slices.Contains(Validations(), c.Validate) {
		return c, fmt.Errorf("bench: validation %q is none of %v", c.Validate, Validations())
	}
	if len(c.Orders) == 0 {
		stored, err := reorder.Lookup("stored")
		if err != nil {
			return c, err
		}
		c.Orders = stored
	}
	if len(c.Profiles) == 0 {
		litert, err := graph.LookupProfile("litert")
		if err != nil {
			return c, err
		}
		c.Profiles = []graph.Profile{litert}
	}
	if c.Budget == 0 {
		c.Budget = defaultBudget
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	if c.Workers == 0 {
		c.Workers = 1
		if c.Reps == 1 {
			c.Workers = runtime.GOMAXPROCS(0)
		}
	}
	return c, nil
}
