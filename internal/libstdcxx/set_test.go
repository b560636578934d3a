package libstdcxx

import (
	"slices"
	"testing"
)

// The orders were printed by a program built with g++ 12, which inserted the
// same numbers into a std::unordered_set<int>: x % 2000 for successive x of
// xorshift64 (shifts 13, 7, 17) from 88172645463325252, one sequence after the
// other.
func TestIntSet(t *testing.T) {
	state := uint64(88172645463325252)
	for _, test := range []struct {
		insert, size int
		hash         uint64 // FNV-1a of the elements, a step for each
		first        []int
	}{
		{1, 1, 4952600406699643289, []int{512}},
		{5, 5, 4851619450850508988, []int{749, 853, 1312, 306, 1515}},
		{13, 13, 6386856404352482107, []int{1979, 55, 653, 1038, 1909, 259, 1195, 545, 606, 435, 84, 903, 1201}},
		{14, 14, 3269961290978016020, []int{1895, 1259, 73, 1755, 858, 17, 1778, 1479, 841, 750, 1708, 356, 1019, 1385}},
		{30, 29, 5113475545606095887, []int{413, 1134, 1874, 1513, 286, 1759, 599, 416, 1895, 1118}},
		{100, 100, 6176571832649801912, []int{534, 1604, 1594, 1443, 1863, 139, 469, 855, 853, 1670}},
		{600, 521, 3560950985035173948, []int{1663, 1224, 249, 1033, 1387, 1001, 155, 1286, 1567, 278}},
	} {
		var s IntSet
		for range test.insert {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			s.Add(int(state % 2000))
		}
		got := s.Items()
		hash := uint64(1469598103934665603)
		for _, x := range got {
			hash = (hash ^ uint64(x)) * 1099511628211
		}
		if len(got) != test.size || hash != test.hash || !slices.Equal(got[:len(test.first)], test.first) {
			t.Errorf("%d insertions: %d elements, hash %d, %v...; want %d, %d, %v", test.insert,
				len(got), hash, got[:min(len(got), 20)], test.size, test.hash, test.first)
		}
	}
	if got := new(IntSet).Items(); len(got) != 0 {
		t.Errorf("an empty set has %v", got)
	}
}
