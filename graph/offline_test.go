package graph

import (
	"strings"
	"testing"
)

func TestCheckOffline(t *testing.T) {
	// x ─▶ op0 ─▶ a ─▶ op1 ─▶ b ─▶ op2 ─▶ y, 8 bytes each.
	s := program(t, "ABS x > a", "ABS a > b", "ABS b > y")
	s.Outputs = []int{3}
	for _, test := range []struct {
		name    string
		offsets []int64
		want    []string // parts of the error, none for a sound plan
	}{
		{"stacked", []int64{0, 8, 16, 24}, nil},
		{"shared by turns", []int64{0, 8, 0, 8}, nil},
		{"online only", []int64{-1, -1, -1, -1}, nil},
		{"partly online", []int64{0, -1, 0, 0}, []string{`tensors 2 "b" and 3 "y" share bytes [0, 8)`}},
		{"last byte", []int64{0, 7, 16, 24}, []string{`tensors 0 "x" and 1 "a" share bytes [7, 8)`}},
		{"all at 0", []int64{0, 0, 0, 0}, []string{`tensors 0 "x" and 1 "a"`}},
		{"too few", []int64{0, 0}, []string{"2 offsets for 4 tensors"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &Model{Name: "m", Subgraphs: []*Subgraph{s}, Offline: &OfflinePlan{Offsets: [][]int64{test.offsets}}}
			err := m.CheckOffline()
			if len(test.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
	m := &Model{Subgraphs: []*Subgraph{s}}
	if err := m.CheckOffline(); err != nil {
		t.Errorf("no plan: %v", err)
	}
	if m.Offline = (&OfflinePlan{}); m.CheckOffline() == nil {
		t.Error("a plan for no subgraph is accepted")
	}
	if n := (&OfflinePlan{Offsets: [][]int64{{0, Online}, {64}}}).Planned(); n != 2 {
		t.Errorf("%d tensors have an offset, want 2", n)
	}
}
