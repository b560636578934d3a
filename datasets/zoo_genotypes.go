package datasets

// genotype is a pair of cells found by architecture search.
type genotype struct{ normal, reduce cell }

// cell is a small graph. State 0 is the output of the cell before the last,
// state 1 that of the last; every node adds another state, the sum of two
// operations on earlier ones. The output joins the states listed in concat.
type cell struct {
	nodes  []node
	concat []int
}

type node struct{ a, b edge }

type edge struct {
	op   cellOp
	from int // state
}

// cellOp is an operation of the search spaces.
type cellOp string

const (
	sep3    cellOp = "sep3" // separable convolution, applied twice
	sep5    cellOp = "sep5"
	sep7    cellOp = "sep7"
	dil3    cellOp = "dil3" // separable convolution of dilation 2
	conv7   cellOp = "conv7x1_1x7"
	avgPool cellOp = "avg3"
	maxPool cellOp = "max3"
	skip    cellOp = "skip"
)

// Zoph et al. 2018. The output of the normal cell holds the older input too: six
// parts, as the 1056 channels of the net called 4@1056 (44 x 4 x 6) show.
var nasNetAGenotype = genotype{
	normal: cell{[]node{
		{edge{sep5, 1}, edge{sep3, 0}},
		{edge{sep5, 0}, edge{sep3, 0}},
		{edge{avgPool, 1}, edge{skip, 0}},
		{edge{avgPool, 0}, edge{avgPool, 0}},
		{edge{sep3, 1}, edge{skip, 1}},
	}, []int{0, 2, 3, 4, 5, 6}},
	reduce: cell{[]node{
		{edge{sep5, 1}, edge{sep7, 0}},
		{edge{maxPool, 1}, edge{sep7, 0}},
		{edge{avgPool, 1}, edge{sep5, 0}},
		{edge{skip, 3}, edge{avgPool, 2}},
		{edge{sep3, 2}, edge{maxPool, 1}},
	}, []int{3, 4, 5, 6}},
}

// Real et al. 2019.
var amoebaNetAGenotype = genotype{
	normal: cell{[]node{
		{edge{avgPool, 0}, edge{maxPool, 1}},
		{edge{sep3, 0}, edge{sep5, 2}},
		{edge{sep3, 0}, edge{avgPool, 3}},
		{edge{sep3, 1}, edge{skip, 1}},
		{edge{skip, 0}, edge{avgPool, 1}},
	}, []int{4, 5, 6}},
	reduce: cell{[]node{
		{edge{avgPool, 0}, edge{sep3, 1}},
		{edge{maxPool, 0}, edge{sep7, 2}},
		{edge{sep7, 0}, edge{avgPool, 1}},
		{edge{maxPool, 0}, edge{maxPool, 1}},
		{edge{conv7, 0}, edge{sep3, 5}},
	}, []int{3, 4, 6}},
}

// Liu et al. 2018: one cell, with stride 2 where it reduces.
var pnasNet5Genotype = genotype{normal: pnasNet5Cell, reduce: pnasNet5Cell}

var pnasNet5Cell = cell{[]node{
	{edge{sep5, 0}, edge{maxPool, 0}},
	{edge{sep7, 1}, edge{maxPool, 1}},
	{edge{sep5, 1}, edge{sep3, 1}},
	{edge{sep3, 4}, edge{maxPool, 1}},
	{edge{sep3, 0}, edge{skip, 1}},
}, []int{2, 3, 4, 5, 6}}

// Liu et al. 2019, the cells of the second-order search.
var dartsV2Genotype = genotype{
	normal: cell{[]node{
		{edge{sep3, 0}, edge{sep3, 1}},
		{edge{sep3, 0}, edge{sep3, 1}},
		{edge{sep3, 1}, edge{skip, 0}},
		{edge{skip, 0}, edge{dil3, 2}},
	}, []int{2, 3, 4, 5}},
	reduce: cell{[]node{
		{edge{maxPool, 0}, edge{maxPool, 1}},
		{edge{skip, 2}, edge{maxPool, 1}},
		{edge{maxPool, 0}, edge{skip, 2}},
		{edge{skip, 2}, edge{maxPool, 1}},
	}, []int{2, 3, 4, 5}},
}
