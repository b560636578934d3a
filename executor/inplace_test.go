package executor

import (
	"errors"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

func TestCheckInPlace(t *testing.T) {
	for _, test := range []struct {
		op     string
		merge  [2]string
		custom string
		wide   string // a tensor of 32 bytes
		want   string
	}{
		{op: "ADD a b > c", merge: [2]string{"a", "c"}},
		{op: "ADD a b > c", merge: [2]string{"b", "c"}},
		{op: "ADD a a > c", merge: [2]string{"a", "c"}},
		{op: "ADD a b > c", merge: [2]string{"a", "c"}, wide: "c",
			want: "operator 1 ADD cannot work in place: tensor 3 on top of tensor 1 in buffer 1: 32 bytes over 16"},
		{op: "SOFTMAX a > c", merge: [2]string{"a", "c"}},
		{op: "RESHAPE a b > c", merge: [2]string{"a", "c"}},
		{op: "RESHAPE a b > c", merge: [2]string{"b", "c"},
			want: "operator 1 RESHAPE cannot work in place: tensor 3 on top of tensor 2 in buffer 2: it is not the first operand"},
		{op: "DYNAMIC_UPDATE_SLICE a b > c", merge: [2]string{"b", "c"},
			want: "operator 1 DYNAMIC_UPDATE_SLICE cannot work in place: tensor 3 on top of tensor 2 in buffer 2: it is not the first operand"},
		{op: "CONV_2D a b > c", merge: [2]string{"a", "c"},
			want: "operator 1 CONV_2D cannot work in place: tensor 3 on top of tensor 1 in buffer 1: it does not compute element by element"},
		{op: "SPLIT a b > d c", merge: [2]string{"a", "c"},
			want: "operator 1 SPLIT cannot work in place: tensor 4 on top of tensor 1 in buffer 1: it is not the first result"},
		{op: "CUSTOM a b > c", custom: "Relu", merge: [2]string{"a", "c"}},
		{op: "CUSTOM a b > c", custom: "Conv", merge: [2]string{"a", "c"},
			want: "operator 1 CUSTOM:Conv cannot work in place: tensor 3 on top of tensor 1 in buffer 1: it does not compute element by element"},
		{op: "CONV_2D a b > c", merge: [2]string{"in", "c"}}, // one after the other
	} {
		m := &tiny{}
		m.s.Inputs = m.tensor("in")
		m.op("SPLIT in > a b")
		m.op(test.op)
		m.s.Outputs = m.tensor("c")
		m.s.Ops[1].Custom = test.custom
		if test.wide != "" {
			m.s.Tensors[m.tensor(test.wide)[0]].Bytes = 32
		}
		lt := m.link(t, "plain")
		merge(lt, test.merge[0], test.merge[1])
		err := CheckInPlace(&graph.Model{Subgraphs: []*graph.Subgraph{&m.s}}, lt)
		got := ""
		if err != nil {
			var e *InPlaceError
			if got = err.Error(); !errors.As(err, &e) {
				t.Errorf("%s: %v is no *InPlaceError", test.op, err)
			}
		}
		if got != test.want {
			t.Errorf("%s, %v:\ngot  %s\nwant %s", test.op, test.merge, got, test.want)
		}
	}
}
