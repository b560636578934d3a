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
	return map[string]int64{
		"amoebanet-a-cifar":      1474560,
		"amoebanet-a-imagenet":   3813376,
		"darts-v2-cifar":         1622016,
		"darts-v2-imagenet":      3813376,
		"layered-f-100-5-1":      562176,
		"layered-f-100-5-2":      525312,
		"layered-f-100-8-1":      696320,
		"layered-f-100-8-2":      698368,
		"layered-f-1000-5-1":     608256,
		"layered-f-1000-5-2":     576512,
		"layered-f-250-5-1":      521216,
		"layered-f-250-5-2":      607232,
		"layered-f-50-5-1":       624640,
		"layered-f-50-5-2":       407552,
		"layered-f-500-5-1":      620544,
		"layered-f-500-5-2":      667648,
		"layered-l-50-5-1":       594944,
		"layered-l-50-5-2":       551936,
		"nasnet-a-cifar":         2031616,
		"nasnet-a-imagenet":      3792000,
		"pnasnet-5-cifar":        1916928,
		"pnasnet-5-imagenet":     3911168,
		"randwire-ba-16":         3913728,
		"randwire-ba-24":         3913728,
		"randwire-ba-32":         3913728,
		"randwire-ba-32x3":       3913728,
		"randwire-er-16":         3913728,
		"randwire-er-24":         3913728,
		"randwire-er-32":         5136768,
		"randwire-er-32x3":       5136768,
		"randwire-ws-16":         3913728,
		"randwire-ws-24":         3913728,
		"randwire-ws-32":         3913728,
		"randwire-ws-32x3":       3913728,
		"swiftnet-like-cifar":    163840,
		"swiftnet-like-imagenet": 4014080,
		"swiftnet-like-long":     4816896,
	}
}
