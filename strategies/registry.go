package strategies

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arenalab/arenalab/internal/names"
)

// builtin returns the strategies of this package, by name.
func builtin() []Strategy {
	return []Strategy{
		anytime{},
		bestFit{},
		boxing{},
		chrobakSlusarek{},
		classical{byArea, lowestGap},
		classical{byArea, smallestGap},
		classical{byConflicts, lowestGap},
		classical{byConflicts, smallestGap},
		classical{byEnd, lowestGap},
		classical{byEnd, smallestGap},
		classical{byLifetime, lowestGap},
		classical{byLifetime, smallestGap},
		classical{bySizeOnly, largestGap},
		ejection{},
		exactSearch{},
		executorch{naive: true},
		executorch{},
		firstFit{},
		ggml{},
		gpuEquality{},
		gpuGreedyByBreadth{},
		gpuGreedyBySize{},
		gpuInOrder{},
		gpuMinCostFlow{},
		gpuSizeDistance{},
		greedySizeBestFit{},
		greedySize{},
		inductor{},
		intervalColoring{},
		iree{},
		kierstead{},
		litert{},
		lowestSkyline{},
		mlir{},
		naive{},
		nextFit{},
		ortPattern{},
		skylineBeam{},
		skylineBest{},
		somas{single: true, blocks: true, rule: lowestGap},
		somas{single: true, blocks: true, rule: smallestGap},
		somas{},
		tflmLinear{},
		tflm{},
		tvmGreedy{conflicts: true},
		tvmGreedy{},
		tvmHillClimb{},
		tvmRelax{},
		velaGreedy{},
		velaHillClimb{},
		velaLinear{},
		worstFit{},
		xlaBest{},
		xla{xlaArea, false},
		xla{xlaArea, true},
		xla{xlaSpatial, false},
		xla{xlaSpatial, true},
		xla{xlaTemporal, false},
		xla{xlaTemporal, true},
		xnnpack{old: true},
		xnnpack{},
	}
}

// registered holds the strategies of other packages.
var registered struct {
	sync.Mutex
	list []Strategy
}

// All returns every strategy, those of this package and those registered,
// ascending by name.
func All() []Strategy {
	registered.Lock()
	defer registered.Unlock()
	return all()
}

func all() []Strategy {
	list := append(builtin(), registered.list...)
	slices.SortFunc(list, func(a, b Strategy) int {
		return strings.Compare(a.Info().Name, b.Info().Name)
	})
	return list
}

// Register adds a strategy to those that All and Lookup return. It panics if
// the name is not kebab-case or is taken: both are mistakes of the program.
func Register(s Strategy) {
	registered.Lock()
	defer registered.Unlock()
	name := s.Info().Name
	if err := names.CheckKebab(name); err != nil {
		panic(fmt.Sprintf("strategies.Register: %v", err))
	}
	for _, other := range all() {
		if other.Info().Name == name {
			panic(fmt.Sprintf("strategies.Register: strategy %q is registered twice", name))
		}
	}
	registered.list = append(registered.list, s)
}

// Lookup returns the strategies that the pattern selects: a comma-separated
// list of names, of globs such as "greedy-*", and of the word "all". The error
// for a name that is not known lists those that are and suggests the nearest.
func Lookup(pattern string) ([]Strategy, error) {
	list := All()
	known := make([]string, len(list))
	for i, s := range list {
		known[i] = s.Info().Name
	}
	picked, err := names.Select("strategy", known, pattern)
	if err != nil {
		return nil, err
	}
	out := make([]Strategy, len(picked))
	for i, p := range picked {
		out[i] = list[p]
	}
	return out, nil
}
