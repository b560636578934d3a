package datasets

// builtOptima returns the optima that follow from how the graphs are made, in
// bytes, by name. Building a graph computes it; the list has it at once.
func builtOptima() map[string]int64 {
	return map[string]int64{
		"full-tree-2-5":     7232,
		"full-tree-3-6":     14400,
		"full-tree-2-10":    12352,
		"out-tree-100":      3497984,
		"out-tree-1000":     37957632,
		"out-tree-5000":     184578048,
		"tap-tree-2-5":      6144,
		"tap-tree-4-5":      6144,
		"tap-tree-2-10":     11264,
		"pumpkin-12":        437248,
		"pumpkin-50":        1912832,
		"pumpkin-400":       13512704,
		"hills-8-6":         1712,
		"hills-30-10":       25104,
		"hills-400-14":      399664,
		"merge-6-4":         2416,
		"merge-8-6":         4256,
		"merge-12-10":       10080,
		"merge-40-40":       124512,
		"planted-50":        1048576,
		"planted-100":       1048576,
		"planted-300":       1048576,
		"planted-1000":      1048576,
		"planted-6000":      1048576,
		"planted-tree-100":  1048576,
		"planted-tree-1000": 1048576,
		"planted-tree-6000": 1048576,
	}
}

// provenOptima returns the optima that a search has proven, in bytes, by name.
// Each has a line in testdata/graph_proofs.jsonl: an order and a bound that
// meet.
func provenOptima() map[string]int64 {
	return map[string]int64{}
}
