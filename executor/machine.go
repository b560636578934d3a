package executor

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/arenalab/arenalab/executor/kernels"
	"github.com/arenalab/arenalab/graph"
)

// MachineOptions are the knobs of a machine. The zero value is the default.
type MachineOptions struct {
	Arithmetic kernels.Arithmetic // "" means kernels.Single
	Workers    int                // goroutines that kernels use; 0 means GOMAXPROCS
	Seed       uint64             // of inputs and of data that the file lacks; 0 means DefaultSeed
	// MaxBytes bounds the memory of constants and tensors, in bytes. 0 means
	// DefaultMaxBytes.
	MaxBytes int64
	// Symbolic takes no kernels at all.
	Symbolic bool
}

// Defaults of MachineOptions.
const (
	DefaultSeed     = 12345
	DefaultMaxBytes = 512 << 20
)

// ErrTooLarge is returned if a model, a recording or an arena needs more memory
// or work than the options allow.
var ErrTooLarge = errors.New("too large to run")

// Machine is a model ready to run: its constants are in memory and every
// operator of every subgraph has been prepared. Its methods may be called by
// several goroutines; runs wait for each other.
type Machine struct {
	model *graph.Model
	o     MachineOptions
	pool  *kernels.Pool
	subs  []*subgraph
	notes []string

	closing runtime.Cleanup
	close   sync.Once

	mu      sync.Mutex // held by runs, guards the following
	version int        // counts kernels that were given up
}

// subgraph is what a machine knows of one.
type subgraph struct {
	s        *graph.Subgraph
	bytes    []int64  // by tensor: in memory; 0 for handles and what has no static size
	constant [][]byte // by tensor: its data, nil if it is not constant
	handle   []bool   // by tensor: it refers to a variable
	drawn    []bool   // by tensor: its data are not those of the file
	ops      []operation
	at       []int // by operator in stored order: steps after the entry of a call
	span     int   // steps of a call, those of further calls included
}

// operation is a prepared operator.
type operation struct {
	op     *graph.Op
	name   string
	how    how
	kernel kernels.Kernel
	reason error  // why there is no kernel
	key    uint64 // of symbolic results
	reads  []int  // its operands, each once
	state  []int  // those that are variables and written
	work   int64
}

// how says what runs an operator.
type how uint8

const (
	symbolically how = iota // results are a hash of the operands
	byKernel
	byCopy // the first result has the bytes of the first operand
	byHandle
	byRead
	byAssign
	byIf
	byWhile
	byOnce
	byCall
)

// NewMachine prepares a model, whose subgraphs must be linked. Constants whose
// data are missing, sparse or unreadable are replaced by numbers drawn with the
// seed, which Notes reports; operators without a kernel by a symbolic one, see
// Fallbacks.
//
// O(size of the model), constants included. It fails with ErrTooLarge if
// constants and tensors need more than MaxBytes.
func NewMachine(m *graph.Model, o MachineOptions) (*Machine, error) {
	if o.Seed == 0 {
		o.Seed = DefaultSeed
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Arithmetic == "" {
		o.Arithmetic = kernels.Single
	}
	x := &Machine{model: m, o: o}
	if err := x.load(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	x.prepare()
	for i := range x.subs {
		if err := x.steps(i, make([]bool, len(x.subs))); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	x.pool = kernels.NewPool(o.Workers)
	x.closing = runtime.AddCleanup(x, (*kernels.Pool).Close, x.pool)
	return x, nil
}

// Close ends the goroutines of the machine, which must not run any more. If it
// is not called, they end when nothing refers to the machine.
func (m *Machine) Close() {
	m.closing.Stop()
	m.close.Do(m.pool.Close)
}

// Notes say where the machine departs from the file.
func (m *Machine) Notes() []string { return m.notes }

// Fallback is an operator that no kernel computes.
type Fallback struct {
	Subgraph, Op int
	Name         string // of the operator
	Reason       error
}

// Fallbacks returns the operators that run symbolically, of the given subgraph
// and of all that it calls.
func (m *Machine) Fallbacks(subgraph int) []Fallback {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []Fallback
	m.reach(subgraph, func(i int, op *operation) {
		if op.how == symbolically {
			list = append(list, Fallback{i, op.op.Index, op.name, op.reason})
		}
	})
	return list
}

// Operators returns how many operators the subgraph has, with those of the
// subgraphs that it calls.
func (m *Machine) Operators(subgraph int) int {
	n := 0
	m.reach(subgraph, func(int, *operation) { n++ })
	return n
}

// Work estimates the multiplications of one invocation of a subgraph. What
// loops repeat is counted once.
func (m *Machine) Work(subgraph int) int64 {
	n := int64(0)
	m.reach(subgraph, func(_ int, op *operation) { n += op.work })
	return n
}

// reach visits the operators of a subgraph and of those it calls, each once,
// and returns which subgraphs that are.
func (m *Machine) reach(subgraph int, visit func(subgraph int, op *operation)) (reached []bool) {
	reached = make([]bool, len(m.subs))
	var walk func(int)
	walk = func(i int) {
		if i < 0 || i >= len(reached) || reached[i] {
			return
		}
		reached[i] = true
		for k := range m.subs[i].ops {
			op := &m.subs[i].ops[k]
			visit(i, op)
			for _, c := range op.op.Callees {
				walk(c)
			}
		}
	}
	walk(subgraph)
	return reached
}

// steps counts the steps of a call as lifetime tables of nested subgraphs have
// them: one for the entry, one for each operator, and those of its calls.
func (m *Machine) steps(i int, active []bool) error {
	s := m.subs[i]
	if s.span > 0 {
		return nil
	}
	if active[i] {
		return fmt.Errorf("subgraph %d calls itself", i)
	}
	active[i] = true
	s.at = make([]int, len(s.ops))
	span := 1
	for k := range s.ops {
		s.at[k] = span
		span++
		for _, c := range s.ops[k].op.Callees {
			if c < 0 || c >= len(m.subs) {
				continue
			}
			if err := m.steps(c, active); err != nil {
				return err
			}
			span += m.subs[c].span
		}
	}
	active[i] = false
	s.span = span
	return nil
}
