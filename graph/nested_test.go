package graph

import (
	"fmt"
	"strings"
	"testing"
)

// TestNestedSubgraphs lays out IF with two branches as TFLite-Micro does: one
// step for the operator, one for the entry of each branch and one for each of
// its operators. What the caller needs lives across all of them; the branches
// may share memory with each other.
func TestNestedSubgraphs(t *testing.T) {
	main := program(t, "RELU in > x", "IF c x > y", "RELU y > o")
	main.Outputs = []int{len(main.Tensors) - 1}
	main.Ops[1].Code, main.Ops[1].Callees = OpIf, []int{1, 2}
	branch := func(index int, lines ...string) *Subgraph {
		s := program(t, lines...)
		s.Index, s.Outputs = index, []int{len(s.Tensors) - 1}
		return s
	}
	unused := branch(3, "RELU never > run")
	m := &Model{Subgraphs: []*Subgraph{main, branch(1, "RELU a > b"), branch(2, "RELU p > q", "RELU q > r"), unused}}
	p, err := LookupProfile("tflm")
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLifetimes(m, main, Stored(main), p)
	if err != nil {
		t.Fatal(err)
	}
	var rows, steps []string
	for i, b := range l.Table.Buffers {
		rows = append(rows, fmt.Sprintf("%d:%s[%d,%d)", l.Refs[i].Tensors[0].Subgraph, b.Name, b.Lower, b.Upper))
	}
	for _, st := range l.Steps {
		steps = append(steps, fmt.Sprintf("%d:%d", st.Subgraph, st.Op))
	}
	wantSteps := "0:-1 0:0 0:1 1:-1 1:0 2:-1 2:0 2:1 0:2 -1:-2"
	if got := strings.Join(steps, " "); got != wantSteps {
		t.Errorf("steps %s, want %s", got, wantSteps)
	}
	want := "0:in[0,2) 0:x[1,8) 0:c[0,8) 0:y[2,9) 0:o[8,9) 1:a[3,5) 1:b[4,5) 2:p[5,7) 2:q[6,8) 2:r[7,8)" +
		" 3:never[9,10) 3:run[9,10)"
	if got := strings.Join(rows, " "); got != want {
		t.Errorf("rows\n got %s\nwant %s", got, want)
	}
}

// TestSubgraphCalledTwice: its tensors live from the first visit to the last.
func TestSubgraphCalledTwice(t *testing.T) {
	main := program(t, "CALL x > y", "CALL y > z")
	main.Outputs = []int{2}
	for i := range main.Ops {
		main.Ops[i].Callees = []int{1}
	}
	callee := program(t, "RELU a > b")
	callee.Index, callee.Outputs = 1, []int{1}
	p, _ := LookupProfile("tflm")
	l, err := NewLifetimes(&Model{Subgraphs: []*Subgraph{main, callee}}, main, Stored(main), p)
	if err != nil {
		t.Fatal(err)
	}
	last := l.Table.Buffers[len(l.Table.Buffers)-1]
	if last.Name != "b" || last.Lower != 3 || last.Upper != 7 {
		t.Errorf("b lives in [%d, %d), want [3, 7)", last.Lower, last.Upper)
	}
}

// TestStaticOnly leaves out what a runtime plans later, and says so.
func TestStaticOnly(t *testing.T) {
	s := program(t, "RELU x > y", "WHERE y > i", "GATHER x i > o")
	s.Outputs = []int{len(s.Tensors) - 1}
	p, _ := LookupProfile("litert")
	p.StaticOnly = true
	l, err := NewLifetimes(&Model{Subgraphs: []*Subgraph{s}}, s, Stored(s), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Table.Buffers) != 2 || len(l.Outside) != 2 || l.Outside[0].Reason != IsDynamic || l.Outside[1].Reason != IsLater {
		t.Errorf("%d rows, outside %v", len(l.Table.Buffers), l.Outside)
	}
	if len(l.Notes) != 1 || !strings.Contains(l.Notes[0], "the first operator 1 WHERE") || !strings.Contains(l.Notes[0], "left out") {
		t.Errorf("notes %q", l.Notes)
	}
}
