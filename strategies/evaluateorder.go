package strategies

import "slices"

// sort returns the buffers in the order in which the planner places them. What
// is not there is left out. It sorts stably by one key after the other, the
// least important first, counting.
func (e *Evaluator) sort(lower, upper, rows []int32, first, end int32) []int32 {
	a, b, c := e.lists[0], e.lists[1], e.lists[2]
	list := a[:0]
	for _, i := range rows {
		if lower[i] < upper[i] {
			list = append(list, i)
		}
	}
	switch e.rule {
	case evaluateTFLM:
		slices.Reverse(list)
		return e.byClass(list, b)
	case evaluateGreedy:
		list = e.byClass(e.byLower(list, b, lower, first, end), a)
		e.longerFirst(list, lower, upper)
		return list
	}
	rest, always := list[:0], c[:0]
	for _, i := range list {
		if lower[i] == first && upper[i] == end {
			always = append(always, i)
		} else {
			rest = append(rest, i)
		}
	}
	k := len(always)
	return c[:k+len(e.byClass(e.byLower(rest, b, lower, first, end), c[k:]))]
}

// byLower sorts the list into out by first step.
func (e *Evaluator) byLower(list, out, lower []int32, first, end int32) []int32 {
	for len(e.steps) <= int(end-first) {
		e.steps = append(e.steps, 0)
	}
	steps := e.steps[:end-first+1]
	clear(steps)
	for _, i := range list {
		steps[lower[i]-first+1]++
	}
	return scatter(list, out, steps, lower, first)
}

// byClass sorts the list into out by size, the largest first.
func (e *Evaluator) byClass(list, out []int32) []int32 {
	clear(e.classes)
	for _, i := range list {
		e.classes[e.class[i]+1]++
	}
	return scatter(list, out, e.classes, e.class, 0)
}

// scatter sorts the list into out by key, those of one key as they come;
// counts[k+1] is how many have the key first+k.
func scatter(list, out, counts, key []int32, first int32) []int32 {
	for k := 1; k < len(counts); k++ {
		counts[k] += counts[k-1]
	}
	for _, i := range list {
		at := &counts[key[i]-first]
		out[*at] = i
		*at++
	}
	return out[:len(list)]
}

// longerFirst sorts what is alike in size and first step, the later last step
// first.
func (e *Evaluator) longerFirst(list, lower, upper []int32) {
	for k := 1; k < len(list); k++ {
		i := list[k]
		j := k
		for ; j > 0; j-- {
			o := list[j-1]
			if e.class[o] != e.class[i] || lower[o] != lower[i] || upper[o] >= upper[i] {
				break
			}
			list[j] = o
		}
		list[j] = i
	}
}
