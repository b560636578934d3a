package graph

import (
	"errors"
	"fmt"
	"slices"
)

// maxFaults ends a report early: a file with that many faults is not read by
// people line by line.
const maxFaults = 20

type linker struct {
	s    *Subgraph
	errs []error
}

func (l *linker) fault(format string, args ...any) {
	if len(l.errs) < maxFaults {
		l.errs = append(l.errs, fmt.Errorf(format, args...))
	}
}

func (l *linker) link() error {
	l.indices()
	if len(l.errs) > 0 {
		return errors.Join(l.errs...)
	}
	l.producers()
	l.consumers()
	l.outputs()
	if len(l.errs) > 0 {
		return errors.Join(l.errs...)
	}
	l.precedence()
	return nil
}

// indices checks every tensor index, so that the rest may trust them.
func (l *linker) indices() {
	s := l.s
	check := func(list []int, lowest int, format string, args ...any) {
		for i, t := range list {
			if t < lowest || t >= len(s.Tensors) {
				l.fault("%s %d: tensor index %d is out of range (%d tensors)",
					fmt.Sprintf(format, args...), i, t, len(s.Tensors))
			}
		}
	}
	check(s.Inputs, 0, "graph input")
	check(s.Outputs, 0, "graph output")
	for i := range s.Ops {
		op := &s.Ops[i]
		check(op.Inputs, -1, "operator %d %s: input", i, op.Name())
		check(op.Outputs, 0, "operator %d %s: output", i, op.Name())
		check(op.Intermediates, -1, "operator %d %s: intermediate", i, op.Name())
	}
}

func (l *linker) producers() {
	s := l.s
	s.Producer = make([]int, len(s.Tensors))
	for i := range s.Producer {
		s.Producer[i] = -1
	}
	given := make([]bool, len(s.Tensors))
	for _, t := range s.Inputs {
		given[t] = true
	}
	for i := range s.Ops {
		for _, t := range s.Ops[i].Outputs {
			where := fmt.Sprintf("operator %d %s: output tensor %d %q", i, s.Ops[i].Name(), t, s.Tensors[t].Name)
			switch {
			case s.Tensors[t].Constant:
				l.fault("%s is a constant", where)
			case given[t]:
				l.fault("%s is a graph input", where)
			case s.Tensors[t].Variable:
				l.fault("%s is a variable", where)
			case s.Producer[t] == i:
				l.fault("%s is listed twice", where)
			case s.Producer[t] >= 0:
				l.fault("%s is already written by operator %d %s", where, s.Producer[t], s.Ops[s.Producer[t]].Name())
			}
			s.Producer[t] = i
		}
	}
}

func (l *linker) consumers() {
	s := l.s
	given := make([]bool, len(s.Tensors))
	for _, t := range s.Inputs {
		given[t] = true
	}
	s.Consumers = make([][]int, len(s.Tensors))
	for i := range s.Ops {
		op := &s.Ops[i]
		for _, t := range op.Inputs {
			if t < 0 {
				continue
			}
			if c := s.Consumers[t]; len(c) > 0 && c[len(c)-1] == i {
				continue // read twice by the same operator
			}
			s.Consumers[t] = append(s.Consumers[t], i)
			tensor := &s.Tensors[t]
			p := s.Producer[t]
			switch {
			case p >= i:
				l.fault("operator %d %s reads tensor %d %q before operator %d %s writes it",
					i, op.Name(), t, tensor.Name, p, s.Ops[p].Name())
			case p < 0 && !tensor.Constant && !tensor.Variable && !given[t] && tensor.Bytes != 0:
				l.fault("operator %d %s reads tensor %d %q, which nothing writes", i, op.Name(), t, tensor.Name)
			}
		}
	}
}

func (l *linker) outputs() {
	s := l.s
	for i, t := range s.Outputs {
		tensor := &s.Tensors[t]
		if s.Producer[t] < 0 && !tensor.Constant && !tensor.Variable && !slices.Contains(s.Inputs, t) {
			l.fault("graph output %d: tensor %d %q is never written", i, t, tensor.Name)
		}
	}
}

func (l *linker) precedence() {
	s := l.s
	s.Before = make([][]int, len(s.Ops))
	last := -1
	for i := range s.Ops {
		var before []int
		for _, t := range s.Ops[i].Inputs {
			if t >= 0 && s.Producer[t] >= 0 {
				before = append(before, s.Producer[t])
			}
		}
		if s.stateful(&s.Ops[i]) {
			if last >= 0 {
				before = append(before, last)
			}
			last = i
		}
		slices.Sort(before)
		s.Before[i] = slices.Compact(before)
	}
}

// stateful reports whether the operator may have effects other than its
// outputs, or depend on such effects of others.
func (s *Subgraph) stateful(op *Op) bool {
	if len(op.Callees) > 0 || op.Code == OpCustom && len(op.Outputs) == 0 {
		return true
	}
	for _, t := range op.Inputs {
		if t >= 0 && (s.Tensors[t].Variable || s.Tensors[t].Type.Handle()) {
			return true
		}
	}
	for _, t := range op.Outputs {
		if s.Tensors[t].Type.Handle() {
			return true
		}
	}
	return false
}
