// Package schema is the generated accessor code of planning.fbs. It trusts the
// bytes it is given: package tflite verifies them first.
package schema

//go:generate flatc --go --gen-onefile --go-namespace schema planning.fbs
//go:generate gofmt -w planning_generated.go

// The members of the public schema's unions BuiltinOptions and, with a 2,
// BuiltinOptions2 that planning reads.
const (
	UnionConv2DOptions          = 1
	UnionCallOptions            = 16
	UnionIfOptions              = 92
	UnionWhileOptions           = 93
	UnionBatchMatMulOptions     = 101
	UnionCallOnceOptions        = 103
	Union2StablehloWhileOptions = 15
	Union2CompositeOptions      = 21
	Union2CaseOptions           = 23
)
