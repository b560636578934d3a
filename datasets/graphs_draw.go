package datasets

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/arenalab/arenalab/graph"
)

// draft is a graph in the making. Its operators are listed in an order in
// which they can run: one of peak optimum, if that is not 0.
type draft struct {
	values  []drawnValue
	nodes   []drawnNode
	stored  []int // nodes in the order in which they are stored; nil: as listed
	optimum int64
	tooMany bool // operators: nothing is drawn
}

type drawnValue struct {
	bytes int64
	maker int // node, or -1: a graph input
	kept  bool
	read  bool
}

type drawnNode struct {
	kind  string
	out   int   // value
	reads []int // values
}

// input adds a graph input and returns it.
func (d *draft) input(bytes int64) int {
	d.values = append(d.values, drawnValue{bytes: bytes, maker: -1})
	return len(d.values) - 1
}

// op adds an operator and returns its result. A value that is listed twice is
// read once. A graph far too large ends to grow; Generate refuses it.
func (d *draft) op(kind string, bytes int64, reads ...int) int {
	if len(d.nodes) > mostGraphOps {
		return d.nodes[len(d.nodes)-1].out
	}
	out := len(d.values)
	list := make([]int, 0, len(reads))
	for _, v := range reads {
		if !slices.Contains(list, v) {
			list = append(list, v)
			d.values[v].read = true
		}
	}
	d.values = append(d.values, drawnValue{bytes: bytes, maker: len(d.nodes)})
	d.nodes = append(d.nodes, drawnNode{kind: kind, out: out, reads: list})
	return out
}

// keep makes a value a graph output.
func (d *draft) keep(v int) { d.values[v].kept = true }

// keepUnread makes graph outputs of all results that nothing reads.
func (d *draft) keepUnread() {
	for i := range d.nodes {
		if v := &d.values[d.nodes[i].out]; !v.read {
			v.kept = true
		}
	}
}

// mix stores the operators in a random order, so that the one they are listed
// in is not given away.
func (d *draft) mix(r *rand.Rand) {
	missing, after := make([]int, len(d.nodes)), make([][]int, len(d.nodes))
	var ready []int
	for i := range d.nodes {
		for _, v := range d.nodes[i].reads {
			if m := d.values[v].maker; m >= 0 {
				missing[i]++
				after[m] = append(after[m], i)
			}
		}
		if missing[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		k, last := r.IntN(len(ready)), len(ready)-1
		i := ready[k]
		ready[k], ready = ready[last], ready[:last]
		d.stored = append(d.stored, i)
		for _, j := range after[i] {
			if missing[j]--; missing[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
}

// subgraph returns the graph with its tensors numbered by first appearance,
// graph inputs first, and the index in it of every node.
func (d *draft) subgraph() (*graph.Subgraph, []int) {
	s := &graph.Subgraph{Name: "main"}
	tensor, index := make([]int, len(d.values)), make([]int, len(d.nodes))
	add := func(v int) {
		n := len(s.Tensors)
		tensor[v] = n
		s.Tensors = append(s.Tensors, graph.Tensor{Index: n, Name: "t" + strconv.Itoa(n), Type: graph.Int8, Bytes: d.values[v].bytes})
		if d.values[v].kept {
			s.Outputs = append(s.Outputs, n)
		}
	}
	for v := range d.values {
		if d.values[v].maker < 0 {
			add(v)
			s.Inputs = append(s.Inputs, tensor[v])
		}
	}
	stored := d.stored
	if stored == nil {
		stored = make([]int, len(d.nodes))
		for i := range stored {
			stored[i] = i
		}
	}
	for k, i := range stored {
		index[i] = k
		add(d.nodes[i].out)
		op := graph.Op{Index: k, Code: graph.OpCustom, Custom: d.nodes[i].kind, Label: "op" + strconv.Itoa(k), Outputs: []int{tensor[d.nodes[i].out]}}
		for _, v := range d.nodes[i].reads {
			op.Inputs = append(op.Inputs, tensor[v])
		}
		s.Ops = append(s.Ops, op)
	}
	return s, index
}

// kib draws a size of 1 to most KiB.
func kib(r *rand.Rand, most int64) int64 { return (1 + r.Int64N(most)) << 10 }
