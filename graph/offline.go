package graph

import (
	"errors"
	"fmt"

	"github.com/arenalab/arenalab/lifetime"
)

// Online is the offset of a tensor that an OfflinePlan leaves to the runtime.
const Online = -1

// OfflinePlan is an arena plan that came with the model, as TFLite-Micro reads
// it from the metadata named OfflineMemoryAllocation. All subgraphs share one
// arena.
//
// Source: tensorflow/lite/micro/docs/memory_management.md and
// micro_allocation_info.cc of tflite-micro.
type OfflinePlan struct {
	Version int32
	// Offsets, by subgraph and tensor, are bytes from the start of the arena,
	// or Online.
	Offsets [][]int64
}

// Planned returns the number of tensors that the plan gives an offset.
func (p *OfflinePlan) Planned() int {
	n := 0
	for _, offsets := range p.Offsets {
		for _, off := range offsets {
			if off != Online {
				n++
			}
		}
	}
	return n
}

// CheckOffline reports tensors of the model's offline plan that share bytes
// while both are live, the operators running in stored order. The error joins
// one error for each clash that was found, at most 16 a subgraph. Tensors of different subgraphs are not compared, nor sizes rounded:
// a runtime that rounds them may see more. A plan may overlap on purpose, where
// a kernel writes over its input, so this is for a report, not a refusal.
// O(n log n).
func (m *Model) CheckOffline() error {
	if m.Offline == nil {
		return nil
	}
	if len(m.Offline.Offsets) != len(m.Subgraphs) {
		return fmt.Errorf("%s: offline plan is for %d of %d subgraphs", m.Name, len(m.Offline.Offsets), len(m.Subgraphs))
	}
	var errs []error
	for _, s := range m.Subgraphs {
		if err := m.checkOffline(s, m.Offline.Offsets[s.Index]); err != nil {
			errs = append(errs, fmt.Errorf("%s: subgraph %d: offline plan: %w", m.Name, s.Index, err))
		}
	}
	return errors.Join(errs...)
}

func (m *Model) checkOffline(s *Subgraph, offsets []int64) error {
	if len(offsets) != len(s.Tensors) {
		return fmt.Errorf("%d offsets for %d tensors", len(offsets), len(s.Tensors))
	}
	// As in TFLite-Micro: inputs are there before the first operator runs and
	// die with their last reader. Variables with an offset live throughout.
	all, err := NewLifetimes(m, s, Stored(s), Profile{
		Name: "offline", Align: 1, RoundSizes: 1, EntryStep: true, Variables: true,
	})
	if err != nil {
		return err
	}
	table := lifetime.Table{Name: all.Table.Name}
	var given []int64
	var tensors []int
	for i, ref := range all.Refs {
		if len(ref.Tensors) != 1 {
			continue
		}
		t := ref.Tensors[0].Tensor
		if offsets[t] != Online {
			table.Buffers = append(table.Buffers, all.Table.Buffers[i])
			given = append(given, offsets[t])
			tensors = append(tensors, t)
		}
	}
	return inTensors(lifetime.Check(&table, lifetime.NewPlan(&table, given)), tensors)
}

// inTensors says the overlaps of a check in terms of tensors, given which
// tensor each buffer holds.
func inTensors(err error, tensors []int) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	errs := joined.Unwrap()
	for i, err := range errs {
		if e, ok := err.(*lifetime.OverlapError); ok {
			errs[i] = fmt.Errorf("overlap: tensors %d %q and %d %q share bytes [%d, %d) while both are live",
				tensors[e.A], e.NameA, tensors[e.B], e.NameB, e.Low, e.High)
		}
	}
	return errors.Join(errs...)
}
