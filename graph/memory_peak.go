package graph

// Live returns, in the order of execution, the bytes that are live while each
// operator runs. The order must run all operators, each after those it needs.
// O(n + m).
func (m *Memory) Live(ops []int) []int64 {
	live := make([]int64, len(ops))
	m.live(ops, func(k int, bytes int64) { live[k] = bytes })
	return live
}

// Peak returns the most bytes that are live at one time when the operators run
// in the order. O(n + m).
func (m *Memory) Peak(ops []int) int64 {
	peak := m.Floor
	m.live(ops, func(_ int, bytes int64) { peak = max(peak, bytes) })
	return peak
}

func (m *Memory) live(ops []int, see func(k int, bytes int64)) {
	left := make([]int, len(m.Values))
	now := m.Base
	for v := range m.Values {
		left[v] = len(m.Values[v].Readers)
		if m.Values[v].Maker < 0 {
			now += m.Values[v].Size
		}
	}
	for k, i := range ops {
		op := &m.Ops[i]
		for _, v := range op.Makes {
			now += m.Values[v].Size
		}
		bytes := now + op.Transient
		if k == 0 {
			bytes += m.First
		}
		if v := op.Replaces; v >= 0 && left[v] == 1 {
			bytes -= m.Values[v].Size
		}
		see(k, bytes)
		for _, v := range op.Reads {
			if left[v]--; left[v] == 0 && !m.Values[v].Kept {
				now -= m.Values[v].Size
			}
		}
	}
}
