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
	s     *Subgraph
	given []bool // by tensor: is a graph input
	errs  []error
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
	l.given = make([]bool, len(l.s.Tensors))
	for _, t := range l.s.Inputs {
		l.given[t] = true
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
	l.check(-1, "graph input", s.Inputs, 0)
	l.check(-1, "graph output", s.Outputs, 0)
	for i := range s.Ops {
		op := &s.Ops[i]
		l.check(i, "input", op.Inputs, -1)
		l.check(i, "output", op.Outputs, 0)
		l.check(i, "intermediate", op.Intermediates, -1)
		l.check(i, "workspace", op.Workspace, 0)
		for _, p := range op.After {
			if p < 0 || p >= i {
				l.fault("operator %d %s is to run after operator %d, which does not come before it", i, op.Name(), p)
			}
		}
	}
}

// check reports the indices of a list that name no tensor. The list is one of
// operator op, or of the graph if op is negative.
func (l *linker) check(op int, role string, list []int, lowest int) {
	for i, t := range list {
		if t >= lowest && t < len(l.s.Tensors) {
			continue
		}
		where := ""
		if op >= 0 {
			where = fmt.Sprintf("operator %d %s: ", op, l.s.Ops[op].Name())
		}
		l.fault("%s%s %d: tensor index %d is out of range (%d tensors)", where, role, i, t, len(l.s.Tensors))
	}
}

func (l *linker) producers() {
	s := l.s
	s.Producer = make([]int, len(s.Tensors))
	for i := range s.Producer {
		s.Producer[i] = -1
	}
	for i := range s.Ops {
		for _, t := range s.Ops[i].Outputs {
			if why := l.unwritable(i, t); why != "" {
				l.fault("operator %d %s: output tensor %d %q %s", i, s.Ops[i].Name(), t, s.Tensors[t].Name, why)
			}
			s.Producer[t] = i
		}
	}
}

// unwritable says why operator i may not write tensor t, or returns "".
func (l *linker) unwritable(i, t int) string {
	s := l.s
	switch p := s.Producer[t]; {
	case s.Tensors[t].Constant:
		return "is a constant"
	case l.given[t]:
		return "is a graph input"
	case s.Tensors[t].Variable:
		return "is a variable"
	case p == i:
		return "is listed twice"
	case p >= 0:
		return fmt.Sprintf("has two producers: operator %d %s writes it too", p, s.Ops[p].Name())
	}
	return ""
}

// consumers fills in who reads what. The lists of all tensors share one array,
// cut to the length that a first pass counts.
func (l *linker) consumers() {
	s := l.s
	count, total := make([]int, len(s.Tensors)), 0
	for i := range s.Ops {
		for _, t := range s.Ops[i].Inputs {
			if t >= 0 {
				count[t]++
				total++
			}
		}
	}
	all := make([]int, total)
	s.Consumers = make([][]int, len(s.Tensors))
	for t, n := range count {
		s.Consumers[t], all = all[:0:n], all[n:]
	}
	for i := range s.Ops {
		for _, t := range s.Ops[i].Inputs {
			if t < 0 {
				continue
			}
			if c := s.Consumers[t]; len(c) > 0 && c[len(c)-1] == i {
				continue // read twice by the same operator
			}
			s.Consumers[t] = append(s.Consumers[t], i)
			l.readable(i, t)
		}
	}
}

// readable checks that tensor t has a value when operator i runs.
func (l *linker) readable(i, t int) {
	s, tensor, p := l.s, &l.s.Tensors[t], l.s.Producer[t]
	switch {
	case p >= i:
		l.fault("operator %d %s reads tensor %d %q before its producer, operator %d %s, has run",
			i, s.Ops[i].Name(), t, tensor.Name, p, s.Ops[p].Name())
	case p < 0 && !tensor.Constant && !tensor.Variable && !l.given[t] && tensor.Bytes != 0:
		l.fault("operator %d %s reads tensor %d %q, which nothing writes", i, s.Ops[i].Name(), t, tensor.Name)
	}
}

func (l *linker) outputs() {
	s := l.s
	for i, t := range s.Outputs {
		tensor := &s.Tensors[t]
		if s.Producer[t] < 0 && !tensor.Constant && !tensor.Variable && !l.given[t] && tensor.Bytes != 0 {
			l.fault("graph output %d: tensor %d %q is never written", i, t, tensor.Name)
		}
	}
}

// precedence fills in what must run before what. As in consumers, the lists
// share one array.
func (l *linker) precedence() {
	s, most := l.s, len(l.s.Ops)
	for i := range s.Ops {
		most += len(s.Ops[i].Inputs) + len(s.Ops[i].After)
	}
	all := make([]int, 0, most)
	s.Before = make([][]int, len(s.Ops))
	last := -1
	for i := range s.Ops {
		start := len(all)
		for _, t := range s.Ops[i].Inputs {
			if t >= 0 && s.Producer[t] >= 0 {
				all = append(all, s.Producer[t])
			}
		}
		all = append(all, s.Ops[i].After...)
		if s.stateful(&s.Ops[i]) {
			if last >= 0 {
				all = append(all, last)
			}
			last = i
		}
		before := all[start:]
		slices.Sort(before)
		before = slices.Compact(before)
		all = all[:start+len(before)]
		s.Before[i] = before[:len(before):len(before)]
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
