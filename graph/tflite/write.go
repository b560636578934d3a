package tflite

import (
	"github.com/arenalab/arenalab/graph"
)

// Version and Identifier are what every file of this format carries.
const (
	SchemaVersion  = 3
	FileIdentifier = "TFL3"
)

// File is a model to be written. It holds what the format holds, in the order
// of the format; Encode makes the bytes.
type File struct {
	Description string
	Subgraphs   []Subgraph // subgraph 0 is the main one
	Signatures  []Signature
	Metadata    []Metadata
}

// Subgraph is a list of operators over tensors, in execution order.
type Subgraph struct {
	Name    string
	Tensors []Tensor
	Inputs  []int // tensor indices
	Outputs []int // tensor indices
	Ops     []Op
}

// Tensor is a value. Data, little-endian and row-major, makes it a constant.
type Tensor struct {
	Name      string
	Type      graph.DType
	Shape     []int32 // nil for a scalar
	Signature []int32 // the shape with -1 for unknown dimensions; nil if all are known
	Data      []byte
	Variable  bool // state kept between invocations
	Quant     *Quant
}

// Quant says which real number an integer q stands for: Scale*(q-ZeroPoint).
// One scale and zero point hold for the whole tensor; several are one for each
// index of dimension Axis.
type Quant struct {
	Scale     []float32
	ZeroPoint []int64
	Axis      int
}

// Op is an operator. Tensor index -1 stands for an optional input left out.
type Op struct {
	Code          int32 // one of the Op constants, or any other builtin code
	Custom        string
	Version       int // 0: what the runtime needs for the types and options used
	Inputs        []int
	Outputs       []int
	Intermediates []int
	Options       Options
	CustomOptions []byte
}

// Signature is a named entry point.
type Signature struct {
	Key             string
	Subgraph        int
	Inputs, Outputs []graph.NamedTensor
}

// Metadata is a named blob of bytes.
type Metadata struct {
	Name string
	Data []byte
}

// The builtin operator codes that this package has typed options for, and some
// that need none. The numbers are those of the format.
const (
	OpAdd                        int32 = 0
	OpAveragePool2D              int32 = 1
	OpConcatenation              int32 = 2
	OpConv2D                     int32 = 3
	OpDepthwiseConv2D            int32 = 4
	OpDequantize                 int32 = 6
	OpFullyConnected             int32 = 9
	OpLogistic                   int32 = 14
	OpMaxPool2D                  int32 = 17
	OpMul                        int32 = 18
	OpRelu                       int32 = 19
	OpRelu6                      int32 = 21
	OpReshape                    int32 = 22
	OpResizeBilinear             int32 = 23
	OpSoftmax                    int32 = 25
	OpTanh                       int32 = 28
	OpPad                        int32 = 34
	OpTranspose                  int32 = 39
	OpMean                       int32 = 40
	OpSub                        int32 = 41
	OpUnidirectionalSequenceLSTM int32 = 44
	OpStridedSlice               int32 = 45
	OpSplit                      int32 = 49
	OpLess                       int32 = 58
	OpRsqrt                      int32 = 76
	OpResizeNearestNeighbor      int32 = 97
	OpSquaredDifference          int32 = 99
	OpQuantize                   int32 = 114
	OpIf                         int32 = 118
	OpWhile                      int32 = 119
	OpBatchMatMul                int32 = 126
	OpGelu                       int32 = 150
)
