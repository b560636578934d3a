package bound

import "github.com/arenalab/arenalab/reorder/proof"

// Cheap returns the best bound that no flow is needed for: the floor, what one
// operator needs by itself, or what the first or the last operator of any order
// needs. Simple kinds win ties. O(n + m).
func (f *Finder) Cheap() *proof.Bound {
	best := &proof.Bound{Kind: proof.Floor, Value: f.m.Floor}
	if v, bytes := f.alone(); bytes > best.Value {
		best = &proof.Bound{Kind: proof.Operator, Value: bytes, Op: v}
	}
	for _, last := range []bool{false, true} {
		if bytes := f.end(last); bytes > best.Value {
			best = &proof.Bound{Kind: proof.Ends, Value: bytes, Last: last}
		}
	}
	return best
}

// alone returns the operator that needs most, with what is there throughout.
func (f *Finder) alone() (op int, most int64) {
	var start int64
	for x := range f.m.Values {
		if val := &f.m.Values[x]; val.Maker < 0 && val.Kept {
			start += val.Size
		}
	}
	for v := range f.m.Ops {
		bytes := f.own[v] + start
		for _, x := range f.m.Ops[v].Reads {
			val := &f.m.Values[x]
			there := val.Maker < 0 && val.Kept
			switch replaced := f.m.Ops[v].Replaces == x; {
			case replaced && there:
				bytes -= val.Size
			case !replaced && !there:
				bytes += val.Size
			}
		}
		if bytes > most {
			op, most = v, bytes
		}
	}
	return op, most
}

// end returns the least bytes that are live at the first operator, or at the
// last, whichever that is; 0 if there is none.
func (f *Finder) end(last bool) int64 {
	neighbours, all := f.before, int64(0)
	if last {
		neighbours = f.after
	} else {
		all = f.m.First
	}
	for x := range f.m.Values {
		if val := &f.m.Values[x]; val.Maker < 0 && !last || val.Kept && last {
			all += val.Size
		}
	}
	least := int64(-1)
	for v := range f.m.Ops {
		if len(neighbours[v]) > 0 {
			continue
		}
		bytes := f.own[v] + all
		if last {
			bytes += f.atLast(v)
		} else if x := f.m.Ops[v].Replaces; x >= 0 && f.m.Values[x].Maker < 0 && len(f.m.Values[x].Readers) == 1 {
			bytes -= f.m.Values[x].Size
		}
		if least < 0 || bytes < least {
			least = bytes
		}
	}
	return max(least, 0)
}

// atLast returns by how much more than what is kept is live when v runs after
// all other operators, besides what is its own.
func (f *Finder) atLast(v int) (bytes int64) {
	op := &f.m.Ops[v]
	for _, x := range op.Makes {
		if f.m.Values[x].Kept {
			bytes -= f.m.Values[x].Size // its own
		}
	}
	for _, x := range op.Reads {
		val := &f.m.Values[x]
		switch replaced := op.Replaces == x; {
		case replaced && val.Kept:
			bytes -= val.Size
		case !replaced && !val.Kept:
			bytes += val.Size
		}
	}
	return bytes
}
