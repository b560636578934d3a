package proof_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/reorder/proof"
)

// fork is two chains of two operators on one input, each over a hill of 9
// bytes, joined by a fifth. Sizes are multiples of 3.
//
//	   ┌─ 0 ─9─ 1 ─3─┐
//	3 ─┤             4 ─3─
//	   └─ 2 ─9─ 3 ─6─┘
func fork() *graph.Memory {
	return &graph.Memory{
		Ops: []graph.MemoryOp{
			{Reads: []int{0}, Makes: []int{1}, Replaces: -1},
			{Reads: []int{1}, Makes: []int{2}, Replaces: -1},
			{Reads: []int{0}, Makes: []int{3}, Replaces: -1},
			{Reads: []int{3}, Makes: []int{4}, Replaces: -1},
			{Reads: []int{2, 4}, Makes: []int{5}, Replaces: -1},
		},
		Values: []graph.Value{
			{Size: 3, Maker: -1, Readers: []int{0, 2}},
			{Size: 9, Maker: 0, Readers: []int{1}},
			{Size: 3, Maker: 1, Readers: []int{4}},
			{Size: 9, Maker: 2, Readers: []int{3}},
			{Size: 6, Maker: 3, Readers: []int{4}},
			{Size: 3, Maker: 4, Kept: true},
		},
		Before: [][]int{nil, {0}, nil, {2}, {1, 3}},
		Floor:  3,
	}
}

func TestCheck(t *testing.T) {
	leaf := func(over int, lines ...proof.Line) *proof.Node { return &proof.Node{Lines: lines, Over: over} }
	cases := func(a, b int, x, y *proof.Node) *proof.Node {
		return &proof.Node{Cases: &proof.Cases{A: a, B: b, AFirst: x, BFirst: y}}
	}
	for _, c := range []struct {
		name  string
		bound proof.Bound
		fault string // "" if it is right
	}{
		{"floor", proof.Bound{Kind: proof.Floor, Value: 3}, ""},
		{"floor too high", proof.Bound{Kind: proof.Floor, Value: 4}, "the witness gives 3 bytes, 4 claimed"},
		{"operator", proof.Bound{Kind: proof.Operator, Value: 15, Op: 3}, ""},
		{"operator too high", proof.Bound{Kind: proof.Operator, Value: 16, Op: 3}, "gives 15"},
		{"operator out of range", proof.Bound{Kind: proof.Operator, Op: 5}, "no operator 5 among 5"},
		{"first", proof.Bound{Kind: proof.Ends, Value: 12}, ""},
		{"last", proof.Bound{Kind: proof.Ends, Value: 12, Last: true}, ""},
		{"last too high", proof.Bound{Kind: proof.Ends, Value: 13, Last: true}, "gives 12"},
		{"cut", proof.Bound{Kind: proof.Cut, Value: 18, Op: 3}, ""},
		{"cut too high", proof.Bound{Kind: proof.Cut, Value: 19, Op: 3}, "gives 18"},
		{"cut out of range", proof.Bound{Kind: proof.Cut, Op: -1}, "no operator -1"},
		{"set last", proof.Bound{Kind: proof.Set, Value: 18, Ops: []int{1, 3}, Last: true}, ""},
		{"set last too high", proof.Bound{Kind: proof.Set, Value: 19, Ops: []int{1, 3}, Last: true}, "gives 18"},
		{"set first", proof.Bound{Kind: proof.Set, Value: 15, Ops: []int{1, 3}}, ""},
		{"set empty", proof.Bound{Kind: proof.Set}, "the set is empty"},
		{"set unsorted", proof.Bound{Kind: proof.Set, Ops: []int{3, 1}}, "not ascending: 1 after 3"},
		{"budget", proof.Bound{Kind: proof.Precedence, Value: 18, Budget: 17, Root: leaf(3)}, ""},
		{"multiple of 3 above", proof.Bound{Kind: proof.Precedence, Value: 18, Budget: 15, Root: leaf(3)}, ""},
		{"budget that is met", proof.Bound{Kind: proof.Precedence, Value: 21, Budget: 18, Root: leaf(3)}, "operator 3 can run within it: 18 bytes"},
		{"more than the next multiple", proof.Bound{Kind: proof.Precedence, Value: 19, Budget: 15, Root: leaf(3)}, "gives 18"},
		{"of a set", proof.Bound{Kind: proof.Precedence, Value: 18, Budget: 17, Root: &proof.Node{Set: []int{1, 3}, Last: true}}, ""},
		{"of a set that is met", proof.Bound{Kind: proof.Precedence, Value: 18, Budget: 17, Root: &proof.Node{Set: []int{1, 3}}}, "one of the set can be the first or last of it: 15 bytes"},
		{"of an unsorted set", proof.Bound{Kind: proof.Precedence, Budget: 17, Root: &proof.Node{Set: []int{3, 3}}}, "not ascending"},
		{"a line", proof.Bound{Kind: proof.Precedence, Value: 18, Budget: 17, Root: leaf(3, proof.Line{Op: 1, Other: 2}, proof.Line{Op: 2, Other: 1})}, "line 1: operator 2 can run after 1 within it: 15 bytes"},
		{"no refutation", proof.Bound{Kind: proof.Tree, Value: 18, Budget: 17}, "no refutation"},
		{"negative budget", proof.Bound{Kind: proof.Tree, Budget: -1, Root: leaf(3)}, "out of range"},
		{"cases of the wrong kind", proof.Bound{Kind: proof.Precedence, Budget: 1, Root: cases(1, 3, leaf(3), leaf(3))}, "kind tree"},
		{"cases", proof.Bound{Kind: proof.Tree, Value: 18, Budget: 17, Root: cases(1, 3, leaf(3), leaf(3))}, ""},
		{"a case is missing", proof.Bound{Kind: proof.Tree, Value: 18, Budget: 17, Root: cases(1, 3, leaf(3), nil)}, "with 3 before 1: a case is missing"},
		{"the same operator", proof.Bound{Kind: proof.Tree, Budget: 17, Root: cases(1, 1, leaf(3), leaf(3))}, "compared with itself"},
		{"unknown kind", proof.Bound{Kind: "guess"}, `unknown kind "guess"`},
	} {
		err := proof.Check(fork(), &c.bound)
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault) || !errors.Is(err, proof.ErrUnproven)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.fault)
		}
	}
}

// Nothing is proven of a memory that is not exact or makes no sense.
func TestCheckMemory(t *testing.T) {
	for fault, spoil := range map[string]func(m *graph.Memory){
		"by chance":         func(m *graph.Memory) { m.Loose = "by chance" },
		"negative":          func(m *graph.Memory) { m.Values[1].Size = -1 },
		"more than":         func(m *graph.Memory) { m.Values[1].Size, m.Values[3].Size = 1<<62, 1<<62 },
		"does not read":     func(m *graph.Memory) { m.Ops[1].Replaces = 3 },
		"wait for each":     func(m *graph.Memory) { m.Before[0] = []int{3}; m.Before[2] = []int{1} },
		"no operator can b": func(m *graph.Memory) { m.Before = [][]int{{4}, {0}, {1}, {2}, {3}} },
	} {
		m := fork()
		spoil(m)
		b := &proof.Bound{Kind: proof.Cut, Value: 0, Op: 3}
		if strings.HasPrefix(fault, "no op") {
			b.Kind = proof.Ends
		}
		if err := proof.Check(m, b); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want %q", err, fault)
		}
	}
}

// A bound is the same after it was written and read.
func TestJSON(t *testing.T) {
	b := &proof.Bound{Kind: proof.Tree, Value: 18, Budget: 17, Root: &proof.Node{
		Lines: []proof.Line{{Op: 0, Other: 2, After: true}},
		Cases: &proof.Cases{A: 1, B: 0, AFirst: &proof.Node{Over: 3}, BFirst: &proof.Node{Over: 0}},
	}}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.Parse(text)
	if err != nil || !reflect.DeepEqual(got, b) {
		t.Errorf("%s read as %+v, %v", text, got, err)
	}
	if _, err := proof.Parse([]byte(`{"kind": 3}`)); err == nil {
		t.Error("a number was read as a kind")
	}
	lines, nodes := b.Size()
	if lines != 1 || nodes != 3 || fmt.Sprint(b.Involved()) != "[0 1 2 3]" {
		t.Errorf("%d lines, %d nodes, operators %v", lines, nodes, b.Involved())
	}
}

func ExampleBound_Text() {
	for _, b := range []*proof.Bound{
		{Kind: proof.Cut, Value: 18, Op: 3},
		{Kind: proof.Set, Value: 18, Ops: []int{1, 3}, Last: true},
		{Kind: proof.Precedence, Value: 2031616, Budget: 2031615, Root: &proof.Node{
			Lines: []proof.Line{{Op: 258, Other: 306}}, Over: 306,
		}},
		{Kind: proof.Precedence, Value: 18, Budget: 17, Root: &proof.Node{
			Lines: []proof.Line{{Op: 3, Other: 1, After: true}}, Set: []int{1, 3}, Last: true,
		}},
	} {
		fmt.Println(b.Text(fork()))
	}
	// Output:
	// 18 bytes: that much is live while operator 3 runs, whatever else has run
	// 18 bytes: that much is live at whichever of 2 operators (1, 3) is last of them to run
	// 2031616 bytes: no order keeps within 2031615: operator 306 cannot run before operator 258, and cannot run after it either
	// 18 bytes: no order keeps within 17: operator 3 cannot run before operator 1; and none of 2 operators (1, 3) can be the last of them to run
}
