package main

import "github.com/arenalab/arenalab/datasets"

// network is a column of the table.
type network struct {
	title   string
	builder string
	params  datasets.Params
	// outputs counts graph outputs too: the published classifiers end in a
	// convolution, a reshape and a softmax, whose result the paper leaves out,
	// the builder's in a dense layer and a softmax. Counted with its softmax,
	// the second has the tensors of the first.
	outputs   bool
	published map[string]figure // by row
	forms     []form
}

// figure is a figure of the paper in MiB.
type figure struct {
	mib float64
	// checked figures are known to be the paper's; the others are quoted at
	// second hand.
	checked bool
}

// form is the network in another form, measured to explain a difference.
type form struct {
	title  string
	params datasets.Params
	edit   func(*sketch)
}

// The rows that are no strategies.
const (
	rowNaive   = "naive"
	rowLoad    = "bound of offsets"
	rowObjects = "bound of objects"
	bestOffset = "gpu-greedy-by-size" // the strategy of the paper for offsets
)

// strategyRows are the strategies of the paper, as TensorFlow Lite's GPU
// delegate has them: those of offsets, then those of shared objects.
var strategyRows = []string{
	bestOffset,
	"gpu-greedy-by-breadth", "gpu-size-distance", "gpu-in-order", "gpu-equality", "gpu-min-cost-flow",
}

func published(naive, load, greedy, objects figure) map[string]figure {
	return map[string]figure{rowNaive: naive, rowLoad: load, bestOffset: greedy, rowObjects: objects}
}

var networks = []network{
	{
		title: "MobileNet v1", builder: "mobilenet-v1", outputs: true,
		published: published(figure{19.248, true}, figure{4.594, true}, figure{4.594, true}, figure{4.594, true}),
	},
	{
		title: "MobileNet v2", builder: "mobilenet-v2", outputs: true,
		published: published(figure{26.313, true}, figure{5.742, true}, figure{5.742, true}, figure{6.604, true}),
	},
	{
		title: "DeepLab v3", builder: "deeplab-v3",
		published: published(figure{mib: 48.642}, figure{mib: 4.320}, figure{mib: 4.653}, figure{mib: 6.437}),
		forms: []form{
			{title: "without the resize that keeps the size", edit: dropResizes},
			{title: "also with channels rounded up to 4, as on a GPU", edit: func(s *sketch) { dropResizes(s); roundChannels(s) }},
		},
	},
	{
		title: "Inception v3", builder: "inception-v3",
		published: published(figure{mib: 54.010}, figure{mib: 7.914}, figure{mib: 7.914}, figure{mib: 10.337}),
		forms:     []form{{title: "inner concatenations merged into the outer", edit: mergeConcatenations}},
	},
	{
		title: "PoseNet", builder: "posenet",
		published: published(figure{mib: 28.556}, figure{mib: 6.271}, figure{mib: 6.271}, figure{mib: 6.390}),
	},
	{
		title: "BlazeFace", builder: "blazeface",
		published: published(figure{mib: 2.698}, figure{mib: 0.492}, figure{mib: 0.492}, figure{mib: 0.552}),
		forms:     []form{{title: "at 96 rows of 64 columns", params: datasets.Params{Resolution: 96, Columns: 64}}},
	},
}
