package tflite

import (
	"testing"

	"github.com/arenalab/arenalab/graph/tflite/internal/verify"
)

// deepModel is a chain of n operators, 60 bytes of file each.
func deepModel(n int) []byte {
	raw := smallModel()
	s := &raw.subgraphs[0]
	s.ops = nil
	last := int32(0)
	for range n {
		s.tensors = append(s.tensors, rawTensor{name: "activation", shape: []int32{1, 8, 8, 16}})
		next := int32(len(s.tensors) - 1)
		s.ops = append(s.ops, rawOp{inputs: []int32{last, 1}, outputs: []int32{next}})
		last = next
	}
	s.outputs = []int32{last}
	raw.signatures = nil
	return raw.bytes()
}

func benchmarkDecode(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data, "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeSmall(b *testing.B) { benchmarkDecode(b, smallModel().bytes()) }

func BenchmarkDecode5000Operators(b *testing.B) { benchmarkDecode(b, deepModel(5000)) }

func BenchmarkVerify5000Operators(b *testing.B) {
	data := deepModel(5000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := verify.Model(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadCorpus reads all models of the test data, hash and all.
func BenchmarkReadCorpus(b *testing.B) {
	list := files(b, "models", "*.tflite")
	b.ReportAllocs()
	for b.Loop() {
		for _, path := range list {
			Read(path) // some are refused
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(list)), "µs/model")
}
