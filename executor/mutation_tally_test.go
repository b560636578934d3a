package executor

// mutationTally counts trials by mutation.
type mutationTally struct{ unsafe, safe, kernels map[string]int }

func newTally() mutationTally {
	return mutationTally{map[string]int{}, map[string]int{}, map[string]int{}}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// made returns the number of mutations that were validated.
func (sum mutationTally) made() int { return total(sum.unsafe) + total(sum.safe) }
