package graph

import (
	"fmt"
	"io"
)

// Model is a file of one or more subgraphs. Subgraph 0 is the main one.
type Model struct {
	Name        string // as reports show it
	Path        string // where it was read from
	Hash        string // hex SHA-256 of the file
	FileBytes   int64
	Version     int // of the schema
	Description string
	Subgraphs   []*Subgraph
	Signatures  []Signature
	Metadata    []Metadata
	Buffers     []Buffer
	Weights     io.ReaderAt  // where Buffers lie; nil if the model has no constants
	Offline     *OfflinePlan // a plan that came with the model, or nil
	Notes       []string     // what the reader noticed and planning can live with
}

// Signature is a named entry point: a subgraph with named inputs and outputs.
type Signature struct {
	Key             string
	Subgraph        int
	Inputs, Outputs []NamedTensor
}

// NamedTensor is an argument or a result of a Signature.
type NamedTensor struct {
	Name   string
	Tensor int
}

// Metadata is a named buffer that is not a tensor.
type Metadata struct {
	Name   string
	Buffer int
}

// Buffer says where constant data lie: Size bytes at Offset of Model.Weights,
// or of another file. Size 0 means no data: the tensor is computed, or a
// variable. ReadBuffer reads the bytes.
type Buffer struct {
	Offset, Size int64
	External     string // the other file, relative to the folder of Model.Path
}

// Subgraph is a list of operators over tensors.
type Subgraph struct {
	Index   int
	Name    string
	Tensors []Tensor
	Inputs  []int // tensor indices
	Outputs []int // tensor indices; a tensor may be listed more than once
	Ops     []Op  // in stored order, which is a valid execution order

	// The following are filled in by Link.

	Producer  []int   // by tensor: the operator that writes it, or -1
	Consumers [][]int // by tensor: operators that read it, ascending, once each
	Before    [][]int // by operator: operators that must run before it, ascending
}

// NoSize is the size of a tensor whose bytes are not known before the model
// runs: strings, resources, variants.
const NoSize = -1

// Tensor is a value of a subgraph.
type Tensor struct {
	Index     int
	Name      string
	Type      DType
	Shape     []int32 // as stored; empty for a scalar
	Signature []int32 // shape with -1 where a dimension is unknown; may be nil
	Bytes     int64   // of the stored shape, packed types packed, or NoSize
	Buffer    int     // index into Model.Buffers
	Constant  bool    // has data in the file
	Variable  bool    // state kept between invocations
	// PerChannel says that the parts of a quantised tensor have scales of
	// their own, and that they differ.
	PerChannel bool
	Quant      *Quant // nil if the tensor is not quantised
	Sparse     bool   // the data in the file leave out zeros
}

// Unknown reports whether a dimension of the tensor is not known before the
// model runs, so that Bytes is that of the stored placeholder.
func (t *Tensor) Unknown() bool {
	for _, d := range t.Signature {
		if d < 0 {
			return true
		}
	}
	return false
}

// Op is an operator. Tensor index -1 stands for an optional input that is
// absent.
type Op struct {
	Index         int
	Code          int32  // builtin operator code of the file format
	Custom        string // name of a custom operator
	Version       int
	Inputs        []int
	Outputs       []int
	Intermediates []int  // tensors that hold quantisation data only
	Workspace     []int  // tensors that are its working memory: live at this operator only
	Callees       []int  // subgraphs it calls (IF: then, else; WHILE: cond, body)
	After         []int  // operators that must run before it although it reads nothing of theirs
	Label         string // its own name, if the file has one
	Options       OpOptions
	Attributes    Attributes // all options of a builtin operator
	CustomOptions []byte     // of a custom operator, as the file has them
}

// OpOptions are the builtin options that working memory depends on. Those that
// an operator does not have are zero.
type OpOptions struct {
	StrideW, StrideH     int32 // of CONV_2D
	DilationW, DilationH int32 // of CONV_2D
	AdjointX, AdjointY   bool  // of BATCH_MATMUL: transposed
	// Of TFLite_Detection_PostProcess: the most detections, the classes of each
	// of them, and all classes. 0 detections: not known.
	Detections, DetectionClasses, Classes int32
}

// Name returns the operator's name: the builtin's, CUSTOM:name, or
// BUILTIN:code if the code is unknown.
func (o *Op) Name() string {
	if o.Code == OpCustom {
		return "CUSTOM:" + o.Custom
	}
	if name := OpName(o.Code); name != "" {
		return name
	}
	return fmt.Sprintf("BUILTIN:%d", o.Code)
}

// Link fills in producers, consumers and precedence, and checks that the
// subgraph can be executed in its stored order: every index in range, one
// producer a tensor, no operator writing a constant, a graph input or a
// variable, and nothing read before it is written. The errors name operator
// and tensor. O(size of the subgraph).
//
// Precedence is data flow plus the control edges of operators with side
// effects: those that touch a variable, those that call subgraphs, those that
// read or write resources and variants, and custom operators with no output
// keep their stored order among each other. What Op.After names comes on top.
func (s *Subgraph) Link() error {
	l := linker{s: s}
	return l.link()
}
