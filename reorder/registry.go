package reorder

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arenalab/arenalab/internal/names"
)

// builtin returns the reorderers of this package, by name.
func builtin() []Reorderer {
	return []Reorderer{
		annealing{},
		beam{},
		breadthFirst{},
		depthFirst{},
		exactSearch{},
		greedyBytes{},
		hmcos{},
		inductorBFS{},
		inductorDFS{},
		inductorLPMF{},
		inductorMin{},
		kayaaslan{},
		liuTree{},
		random{},
		reversePostorder{},
		serenity{},
		seriesParallel{},
		stored{},
		tfliteTools{},
		xlaDFS{},
		xlaList{},
		xlaMin{},
		xlaPostorder{},
	}
}

// registered holds the reorderers of other packages.
var registered struct {
	sync.Mutex
	list []Reorderer
}

// All returns every reorderer, those of this package and those registered,
// ascending by name.
func All() []Reorderer {
	registered.Lock()
	defer registered.Unlock()
	return all()
}

func all() []Reorderer {
	list := append(builtin(), registered.list...)
	slices.SortFunc(list, func(a, b Reorderer) int {
		return strings.Compare(a.Info().Name, b.Info().Name)
	})
	return list
}

// Register adds a reorderer to those that All and Lookup return. It panics if
// the name is not kebab-case or is taken: both are mistakes of the program.
func Register(r Reorderer) {
	registered.Lock()
	defer registered.Unlock()
	name := r.Info().Name
	if err := names.CheckKebab(name); err != nil {
		panic(fmt.Sprintf("reorder.Register: %v", err))
	}
	for _, other := range all() {
		if other.Info().Name == name {
			panic(fmt.Sprintf("reorder.Register: reorderer %q is registered twice", name))
		}
	}
	registered.list = append(registered.list, r)
}

// Lookup returns the reorderers that the pattern selects: a comma-separated
// list of names, of globs such as "*-first", and of the word "all". The error
// for a name that is not known lists those that are and suggests the nearest.
func Lookup(pattern string) ([]Reorderer, error) {
	list := All()
	known := make([]string, len(list))
	for i, r := range list {
		known[i] = r.Info().Name
	}
	picked, err := names.Select("order", known, pattern)
	if err != nil {
		return nil, err
	}
	out := make([]Reorderer, len(picked))
	for i, p := range picked {
		out[i] = list[p]
	}
	return out, nil
}
