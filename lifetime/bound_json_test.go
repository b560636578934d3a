package lifetime

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBoundJSON(t *testing.T) {
	tests := []struct {
		b    Bound
		want string
	}{
		{Bound{Kind: BoundLoad}, `{"kind":"load","value":0,"buffers":[]}`},
		{Bound{Value: 9, Kind: BoundAlignment, Align: 4, Step: 1, Buffers: []int{0, 1}}, `{"kind":"alignment","value":9,"step":1,"align":4,"buffers":[0,1]}`},
		{
			Bound{Value: 6, Kind: BoundSingleton, Buffers: []int{2, 5}, Capacity: 5, Lower: -1, Upper: 8, Removals: []Removal{{2, 0}, {5, 64}}},
			`{"kind":"singleton","value":6,"buffers":[2,5],"capacity":5,"lower":-1,"upper":8,"removals":[2,0,5,64]}`,
		},
		{
			Bound{Value: 6, Kind: BoundOrderTree, Buffers: []int{2, 5}, Capacity: 5, Upper: 8, Tree: []Branch{{2, 5}, {-1, -1}, {5, 0}, {-1, -1}, {-1, -1}}},
			`{"kind":"order-tree","value":6,"buffers":[2,5],"capacity":5,"upper":8,"tree":[2,5,-1,5,0,-1,-1]}`,
		},
		{
			Bound{Value: 6, Kind: BoundSweep, Buffers: []int{2}, Capacity: 5, Upper: 8, Backward: true},
			`{"kind":"sweep","value":6,"buffers":[2],"capacity":5,"upper":8,"backward":true}`,
		},
	}
	for _, test := range tests {
		text, err := json.Marshal(&test.b)
		if err != nil || string(text) != test.want {
			t.Errorf("got %s (%v), want %s", text, err, test.want)
		}
		var back Bound
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, test.b) {
			t.Errorf("%s is read as %+v (%v)", text, back, err)
		}
	}
	for _, text := range []string{`[]`, `{"removals":[1]}`, `{"tree":[1,2,3]}`, `{"value":1e99}`, `{"buffers":["a"]}`} {
		var b Bound
		if err := json.Unmarshal([]byte(text), &b); err == nil || !strings.Contains(err.Error(), "bound:") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// FuzzCheckBound gives the checker bounds as a file may have them: it has to
// come back, without a panic, and may not accept what is not true.
func FuzzCheckBound(f *testing.F) {
	tab := sevenBuffers()
	for _, text := range []string{
		`{"kind":"singleton","value":6,"buffers":[0,1,2,3,4,5,6],"capacity":5,"lower":1,"upper":8,"removals":[1,0]}`,
		`{"kind":"order-tree","value":6,"buffers":[0,1,2,3,4,5,6],"capacity":5,"lower":1,"upper":8,"tree":[0,1,-1]}`,
		`{"kind":"sweep","value":6,"buffers":[0,1,2,3,4,5,6],"capacity":5,"lower":1,"upper":8,"backward":true}`,
		`{"kind":"sweep","value":1000000000000,"buffers":[0],"capacity":4611686018427387903,"lower":-9223372036854775808,"upper":9223372036854775807}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b Bound
		if json.Unmarshal(data, &b) != nil {
			return
		}
		if _, err := CheckBoundWithin(tab, &b, 1_000_000); err == nil && b.Value > 6 {
			t.Errorf("%s is accepted, the smallest arena is 6", data)
		}
	})
}

// sevenBuffers is the smallest table known whose smallest arena, 6, is above
// its load.
func sevenBuffers() *Table {
	tab := &Table{}
	for _, s := range [][3]int64{{1, 3, 3}, {2, 5, 1}, {3, 4, 2}, {3, 6, 2}, {4, 8, 1}, {5, 6, 2}, {6, 7, 3}} {
		tab.Buffers = append(tab.Buffers, Buffer{Lower: s[0], Upper: s[1], Size: s[2]})
	}
	return tab
}

// TestBoundJSONIsWhole reads back whatever a bound may hold.
func TestBoundJSONIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bound{
			Value: rapid.Int64().Draw(t, "value"), Kind: BoundKind(rapid.SampledFrom([]string{"load", "sweep", "other"}).Draw(t, "kind")),
			Step: rapid.Int64().Draw(t, "step"), Align: rapid.Int64().Draw(t, "align"), Capacity: rapid.Int64().Draw(t, "capacity"),
			Lower: rapid.Int64().Draw(t, "lower"), Upper: rapid.Int64().Draw(t, "upper"), Backward: rapid.Bool().Draw(t, "backward"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			b.Buffers = append(b.Buffers, rapid.Int().Draw(t, "buffer"))
			b.Removals = append(b.Removals, Removal{rapid.Int().Draw(t, "removed"), rapid.Int64().Draw(t, "offset")})
			b.Tree = append(b.Tree, rapid.SampledFrom([]Branch{{-1, -1}, {0, 1}, {7, 3}}).Draw(t, "node"))
		}
		text, err := json.Marshal(&b)
		if err != nil {
			t.Fatal(err)
		}
		var back Bound
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, b) {
			t.Fatalf("%+v is written as %s and read as %+v (%v)", b, text, back, err)
		}
	})
}
