package bound

// pad is the padding of a live piece.
type pad struct {
	bytes  int64
	number int
}

// padHeap is a binary heap, the largest pad first. Pads of the dead stay until
// they surface.
type padHeap []pad

func (h *padHeap) push(p pad) {
	s := append(*h, p)
	i := len(s) - 1
	for i > 0 && s[(i-1)/2].bytes < p.bytes {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = p
	*h = s
}

func (h *padHeap) pop() {
	s := *h
	last := s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1].bytes > s[child].bytes {
			child++
		}
		if child >= len(s) || s[child].bytes <= last.bytes {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = last
}
