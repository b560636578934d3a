package lifetime

// WithAlign returns the table that a strategy plans under strategies.Options.Align: every
// buffer has at least the given alignment, in bytes. The table itself is
// returned if that changes nothing, else a copy. Plans and bounds made under
// the option are to be checked against this table.
func WithAlign(t *Table, align int64) *Table {
	raised := false
	for i := range t.Buffers {
		raised = raised || t.Buffers[i].Alignment() < align
	}
	if !raised {
		return t
	}
	out := &Table{Name: t.Name, Buffers: make([]Buffer, len(t.Buffers))}
	copy(out.Buffers, t.Buffers)
	for i := range out.Buffers {
		out.Buffers[i].Align = max(out.Buffers[i].Alignment(), align)
	}
	return out
}
