package executor

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/arenalab/arenalab/graph"
)

// ReferenceOptions are the knobs of a reference. The zero value is the default.
type ReferenceOptions struct {
	Machine MachineOptions
	// MaxWork bounds the multiplications of a recording, as Machine.Work
	// estimates them. 0 means DefaultRecordWork.
	MaxWork int64
}

// DefaultRecordWork is the work of a recording of a network of the size of
// ResNet-50: some seconds.
const DefaultRecordWork = 5e9

// Reference runs a model in memory apart when that is first asked for, once for
// all orders, profiles and plans. It may be used by several goroutines.
type Reference struct {
	model *graph.Model
	o     ReferenceOptions

	mu      sync.Mutex // guards the following
	machine *Machine
	err     error
	records map[int]recorded // by subgraph
}

type recorded struct {
	rec *Recording
	err error
}

// NewReference returns a reference of a model. Nothing is read or run yet.
func NewReference(m *graph.Model, o ReferenceOptions) *Reference {
	if o.MaxWork == 0 {
		o.MaxWork = DefaultRecordWork
	}
	return &Reference{model: m, o: o, records: map[int]recorded{}}
}

// Machine prepares the model.
func (r *Reference) Machine() (*Machine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.prepared()
}

func (r *Reference) prepared() (*Machine, error) {
	if r.machine == nil && r.err == nil {
		r.machine, r.err = NewMachine(r.model, r.o.Machine)
	}
	return r.machine, r.err
}

// Recording runs a subgraph, three times if it keeps state and else once. It
// fails with ErrTooLarge if that is more work than allowed.
func (r *Reference) Recording(ctx context.Context, subgraph int) (*Recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, err := r.prepared()
	if err != nil {
		return nil, err
	}
	if old, ok := r.records[subgraph]; ok && (old.err != nil || !old.rec.stale()) {
		return old.rec, old.err
	}
	var out recorded
	n := 1
	if m.stateful(subgraph) {
		n = DefaultInvocations
	}
	if work := m.Work(subgraph); work > r.o.MaxWork/int64(n) {
		out.err = fmt.Errorf("%w: %d million multiplications", ErrTooLarge, work*int64(n)/1e6)
	} else {
		out.rec, out.err = m.Record(ctx, subgraph, RecordOptions{Invocations: n, MaxWork: r.o.MaxWork})
	}
	if ctx.Err() == nil {
		r.records[subgraph] = out
	}
	return out.rec, out.err
}

// stateful reports whether what a subgraph computes may depend on earlier
// invocations.
func (m *Machine) stateful(subgraph int) bool {
	yes := false
	m.reach(subgraph, func(i int, o *operation) {
		yes = yes || len(o.state) > 0 || o.how == byRead || o.how == byAssign || o.how == byOnce ||
			slices.ContainsFunc(o.reads, func(t int) bool { return m.subs[i].handle[t] })
	})
	return yes
}

func (rec *Recording) stale() bool {
	rec.m.mu.Lock()
	defer rec.m.mu.Unlock()
	return rec.version != rec.m.version
}
