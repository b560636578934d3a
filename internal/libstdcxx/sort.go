package libstdcxx

// Sort orders s as std::sort does, elements that compare equal included:
// quicksort with the median of three down to runs of 16, heapsort where that
// goes too deep, then one insertion sort over everything. D. R. Musser,
// "Introspective sorting and selection algorithms", Software: Practice and
// Experience 27(8), 1997.
func Sort[E any](s []E, less func(a, b *E) bool) {
	depth := 0
	for n := len(s); n > 1; n >>= 1 {
		depth += 2
	}
	quickSort(s, depth, less)
	for i := 1; i < len(s); i++ {
		v, j := s[i], i
		for ; j > 0 && less(&v, &s[j-1]); j-- {
			s[j] = s[j-1]
		}
		s[j] = v
	}
}

func quickSort[E any](s []E, depth int, less func(a, b *E) bool) {
	for ; len(s) > 16; depth-- {
		if depth == 0 {
			heapSort(s, less)
			return
		}
		cut := partition(s, less)
		quickSort(s[cut:], depth-1, less)
		s = s[:cut]
	}
}

func heapSort[E any](s []E, less func(a, b *E) bool) {
	for i := len(s)/2 - 1; i >= 0; i-- {
		sift(s, i, s[i], less)
	}
	for n := len(s) - 1; n > 0; n-- {
		v := s[n]
		s[n] = s[0]
		sift(s[:n], 0, v, less)
	}
}

// sift fills the hole in the heap with v: down to a leaf by the larger child,
// the right one of equals, then up to where v belongs.
func sift[E any](s []E, hole int, v E, less func(a, b *E) bool) {
	top := hole
	for 2*hole+1 < len(s) {
		child := 2*hole + 1
		if child+1 < len(s) && !less(&s[child+1], &s[child]) {
			child++
		}
		s[hole], hole = s[child], child
	}
	for hole > top && less(&s[(hole-1)/2], &v) {
		s[hole], hole = s[(hole-1)/2], (hole-1)/2
	}
	s[hole] = v
}

// partition splits s by the median of its second, middle and last element,
// which it moves to the front.
func partition[E any](s []E, less func(a, b *E) bool) int {
	a, b, c := 1, len(s)/2, len(s)-1
	if !less(&s[a], &s[b]) {
		a, b = b, a
	}
	// Now s[a] is below s[b], unless they are equal; ties count.
	m := b
	switch {
	case less(&s[b], &s[c]):
	case less(&s[a], &s[c]):
		m = c
	default:
		m = a
	}
	s[0], s[m] = s[m], s[0]
	i, j := 1, len(s)
	for {
		for less(&s[i], &s[0]) {
			i++
		}
		j--
		for less(&s[0], &s[j]) {
			j--
		}
		if i >= j {
			return i
		}
		s[i], s[j] = s[j], s[i]
		i++
	}
}
