package kernels

import "github.com/arenalab/arenalab/graph"

// prepare makes a kernel of a node that has been checked.
type prepare func(*Node) (Kernel, error)

// families are the kernels by the TFLite name of the operator, a function for
// each file of them. Custom operators are listed as "CUSTOM:name".
func families() []map[string]prepare {
	return []map[string]prepare{
		arithmeticFamily(),
		batchMatMulFamily(),
		castFamily(),
		compareFamily(),
		concatFamily(),
		conv3DFamily(),
		convFamily(),
		depthwiseFamily(),
		diagonalFamily(),
		fillFamily(),
		fourierFamily(),
		fullyConnectedFamily(),
		gatherFamily(),
		layoutFamily(),
		lstmFamily(),
		mathsFamily(),
		normalizeFamily(),
		padFamily(),
		pairsFamily(),
		pool2DFamily(),
		quantizeFamily(),
		rankFamily(),
		reduceFamily(),
		reluFamily(),
		reshapeFamily(),
		resizeFamily(),
		rnnFamily(),
		scatterFamily(),
		selectFamily(),
		sigmoidFamily(),
		sliceFamily(),
		softmaxFamily(),
		suppressionFamily(),
		svdfFamily(),
		transposeConvFamily(),
	}
}

// lookup returns what prepares an operator, or nil.
func lookup(op *graph.Op) prepare {
	name := op.Name()
	for _, f := range families() {
		if p := f[name]; p != nil {
			return p
		}
	}
	return nil
}

// Names returns the operators that there are kernels for, in no order.
func Names() []string {
	var names []string
	for _, f := range families() {
		for name := range f {
			names = append(names, name)
		}
	}
	return names
}
