// Package schema is the generated accessor code of planning.fbs. It trusts the
// bytes it is given: package tflite verifies them first.
package schema

//go:generate flatc --go --gen-onefile --go-namespace schema planning.fbs
//go:generate gofmt -w planning_generated.go
