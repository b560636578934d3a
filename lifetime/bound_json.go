package lifetime

import (
	"encoding/json"
	"errors"
	"fmt"
)

// boundJSON is the JSON form of a bound. Removals are pairs of buffer and
// offset end to end; a tree is its pairs in preorder end to end, with -1 for a
// leaf.
type boundJSON struct {
	Kind     BoundKind `json:"kind"`
	Value    int64     `json:"value"`
	Step     int64     `json:"step,omitempty"`
	Align    int64     `json:"align,omitempty"`
	Buffers  []int     `json:"buffers"`
	Capacity int64     `json:"capacity,omitempty"`
	Lower    int64     `json:"lower,omitempty"`
	Upper    int64     `json:"upper,omitempty"`
	Removals []int64   `json:"removals,omitempty"`
	Tree     []int     `json:"tree,omitempty"`
	Backward bool      `json:"backward,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (b *Bound) MarshalJSON() ([]byte, error) {
	j := boundJSON{
		Kind: b.Kind, Value: b.Value, Step: b.Step, Align: b.Align, Buffers: b.Buffers,
		Capacity: b.Capacity, Lower: b.Lower, Upper: b.Upper, Backward: b.Backward,
	}
	if j.Buffers == nil {
		j.Buffers = []int{}
	}
	for _, r := range b.Removals {
		j.Removals = append(j.Removals, int64(r.Buffer), r.Offset)
	}
	for _, n := range b.Tree {
		if n.IsLeaf() {
			j.Tree = append(j.Tree, -1)
		} else {
			j.Tree = append(j.Tree, n.Below, n.Above)
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler. What it reads may prove nothing:
// that is for CheckBound to say.
func (b *Bound) UnmarshalJSON(data []byte) error {
	var j boundJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("bound: %w", err)
	}
	out := Bound{
		Kind: j.Kind, Value: j.Value, Step: j.Step, Align: j.Align,
		Capacity: j.Capacity, Lower: j.Lower, Upper: j.Upper, Backward: j.Backward,
	}
	if len(j.Buffers) > 0 {
		out.Buffers = j.Buffers
	}
	if len(j.Removals)%2 != 0 {
		return errors.New("bound: the last removal has no offset")
	}
	for k := 0; k < len(j.Removals); k += 2 {
		buffer := int(j.Removals[k])
		if int64(buffer) != j.Removals[k] {
			return fmt.Errorf("bound: no buffer has position %d", j.Removals[k])
		}
		out.Removals = append(out.Removals, Removal{buffer, j.Removals[k+1]})
	}
	for k := 0; k < len(j.Tree); k++ {
		if j.Tree[k] < 0 {
			out.Tree = append(out.Tree, Branch{-1, -1})
			continue
		}
		if k+1 == len(j.Tree) {
			return errors.New("bound: the last pair of the tree is not whole")
		}
		out.Tree = append(out.Tree, Branch{j.Tree[k], j.Tree[k+1]})
		k++
	}
	*b = out
	return nil
}
