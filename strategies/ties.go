package strategies

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/arenalab/arenalab/internal/libstdcxx"
	"github.com/arenalab/arenalab/lifetime"
)

// Ties says how a strategy orders buffers that its documented key does not
// tell apart. The zero value leaves that to the strategy.
type Ties struct {
	Rule TieRule
	Seed uint64 // of TiesRandom
}

// TieRule is a way to break ties.
type TieRule uint8

// The rules. Strategies that do not sort have no ties and ignore them.
const (
	TiesNative    TieRule = iota // as the strategy says it does
	TiesStored                   // by position in the table
	TiesSize                     // the larger first, then by position
	TiesRandom                   // a random permutation
	TiesLibstdcxx                // as std::sort of GNU's C++ library leaves them
)

var tieNames = [...]string{"native", "stored", "size", "random", "libstdc++"}

// String returns the form that ParseTies reads.
func (t Ties) String() string {
	if int(t.Rule) >= len(tieNames) {
		return fmt.Sprintf("ties(%d)", t.Rule)
	}
	if t.Rule == TiesRandom {
		return fmt.Sprintf("random:%d", t.Seed)
	}
	return tieNames[t.Rule]
}

// ParseTies reads native, stored, size, libstdc++, or random:SEED. The empty
// string is native.
func ParseTies(s string) (Ties, error) {
	name, seed, hasSeed := strings.Cut(s, ":")
	rule := slices.Index(tieNames[:], name)
	switch {
	case s == "":
		return Ties{}, nil
	case rule < 0 || hasSeed != (TieRule(rule) == TiesRandom):
		return Ties{}, fmt.Errorf("ties %q: want native, stored, size, libstdc++ or random:SEED", s)
	case !hasSeed:
		return Ties{Rule: TieRule(rule)}, nil
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return Ties{}, fmt.Errorf("ties %q: the seed is not a number", s)
	}
	return Ties{TiesRandom, n}, nil
}

// compare makes a comparison of the items of a table.
type compare func(t *lifetime.Table) func(a, b *item) int

// sorting is how a strategy orders buffers.
type sorting struct {
	key    compare // what the strategy compares; 0 is a tie
	native compare // how it breaks ties by itself; nil: by position
	feed   compare // the order in which the original hands them to its sort; nil: by position

	// columns are numbers by which key and native begin, for a faster sort; nil
	// if there are none.
	columns func(t *lifetime.Table) []column
}

// sortItems orders the items, ties as the rule says. The result depends on
// nothing else, so that it is the same on every run.
func sortItems(t *lifetime.Table, items []item, s sorting, ties Ties) {
	key := s.key(t)
	var last func(a, b *item) int
	var columns []column
	switch ties.Rule {
	case TiesNative:
		if s.native != nil {
			last = s.native(t)
		}
		if s.columns != nil && len(items) > radixLeast {
			columns = s.columns(t)
		}
	case TiesSize:
		last = func(a, b *item) int { return cmp.Compare(b.size, a.size) }
	case TiesRandom:
		rank := rand.New(rand.NewPCG(ties.Seed, 0)).Perm(len(t.Buffers))
		last = func(a, b *item) int { return cmp.Compare(rank[a.index], rank[b.index]) }
	case TiesLibstdcxx:
		if s.feed != nil {
			feed := s.feed(t)
			arrange(items, nil, func(a, b *item) int { return cmp.Or(feed(a, b), cmp.Compare(a.index, b.index)) })
		}
		libstdcxx.Sort(items, func(a, b *item) bool { return key(a, b) < 0 })
		return
	}
	arrange(items, columns, func(a, b *item) int {
		if c := key(a, b); c != 0 {
			return c
		}
		if last != nil {
			if c := last(a, b); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.index, b.index)
	})
}
