package reorder

// Stored keeps the order of the file, which is what the runtimes execute.
//
// Complexity: O(n).
//
// Reference: LiteRT (google-ai-edge/LiteRT at commit f67457790c9c) and TensorFlow
// Lite for Microcontrollers (tensorflow/tflite-micro at commit 90b983c2b3f1) run
// operators as the file lists them; delegates aside, neither reorders.

import (
	"context"

	"github.com/arenalab/arenalab/graph"
)

type stored struct{}

func (stored) Info() Info {
	return Info{
		Name:       "stored",
		Title:      "As stored",
		Summary:    "the order of the file, which is what the runtimes execute",
		Reference:  "google-ai-edge/LiteRT at f67457790c9c, tensorflow/tflite-micro at 90b983c2b3f1",
		Complexity: "O(n)",
	}
}

func (stored) Order(ctx context.Context, m *graph.Memory, _ Options) (graph.Order, error) {
	if err := begin(ctx, m); err != nil {
		return graph.Order{}, err
	}
	return graph.Stored(m.Subgraph), nil
}
