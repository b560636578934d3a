package kernels

import (
	"math"

	"github.com/arenalab/arenalab/graph"
)

// Operands put together and taken apart along one dimension: R/concatenation.h,
// K/pack.cc, K/unpack.cc, K/split.cc, K/split_v.cc of google-ai-edge/LiteRT at
// f67457790c9c.

func concatFamily() map[string]prepare {
	return map[string]prepare{
		"CONCATENATION": prepareConcatenation,
		"PACK":          preparePack,
		"SPLIT":         prepareSplit,
		"SPLIT_V":       prepareSplitV,
		"UNPACK":        prepareUnpack,
	}
}

// joint is a list of tensors that lie side by side in one: for each of so many
// rows, sizes[k] bytes of part k.
type joint struct {
	rows  int
	sizes []int
	parts [][]byte // working memory
}

// newJoint cuts a shape at a dimension, along which the parts have lengths.
func newJoint(whole *Tensor, at int, lengths []int) (*joint, error) {
	bytes, err := elementBytes(whole.Type)
	if err != nil {
		return nil, err
	}
	j := &joint{rows: 1, sizes: make([]int, len(lengths)), parts: make([][]byte, len(lengths))}
	for _, d := range whole.Shape[:at] {
		j.rows *= d
	}
	for _, d := range whole.Shape[at+1:] {
		bytes *= d
	}
	sum := 0
	for k, n := range lengths {
		j.sizes[k] = n * bytes
		sum += n
	}
	if sum != whole.Shape[at] {
		return nil, invalid("parts of %v along dimension %d of shape %v", lengths, at, whole.Shape)
	}
	return j, nil
}

// parts checks that tensors are like the whole but for one dimension, and
// returns their lengths along it.
func parts(whole *Tensor, list []*Tensor, at int) ([]int, error) {
	lengths := make([]int, len(list))
	for k, t := range list {
		if t == nil || t.Type != whole.Type || len(t.Shape) != len(whole.Shape) {
			return nil, invalid("part %d is not like the whole", k)
		}
		for d, n := range t.Shape {
			if d != at && n != whole.Shape[d] {
				return nil, invalid("part %d of shape %v in shape %v", k, t.Shape, whole.Shape)
			}
		}
		lengths[k] = t.Shape[at]
	}
	return lengths, nil
}

// join is a kernel that puts operands side by side.
type join struct{ *joint }

// Run puts them together.
func (k join) Run(c *Call) error {
	out := c.Out[0]
	copy(k.parts, c.In)
	for range k.rows {
		for i, size := range k.sizes {
			copy(out[:size], k.parts[i])
			out, k.parts[i] = out[size:], k.parts[i][size:]
		}
	}
	return nil
}

// part is a kernel that takes an operand apart.
type part struct {
	*joint
	operand int
}

// Run takes it apart.
func (k part) Run(c *Call) error {
	in := c.In[k.operand]
	copy(k.parts, c.Out)
	for range k.rows {
		for i, size := range k.sizes {
			copy(k.parts[i][:size], in)
			in, k.parts[i] = in[size:], k.parts[i][size:]
		}
	}
	return nil
}

func prepareConcatenation(n *Node) (Kernel, error) {
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	if n.Op.Attributes.Byte(1, 0) != 0 {
		return nil, unsupported("fused activation")
	}
	at, err := axis(int64(n.Op.Attributes.Int(0, 0)), len(out.Shape))
	if err != nil {
		return nil, err
	}
	lengths, err := parts(out, n.In, at)
	if err != nil {
		return nil, err
	}
	j, err := newJoint(out, at, lengths)
	if err != nil {
		return nil, err
	}
	if same, err := sameScales(out, n.In); err != nil || same {
		return join{j}, err
	}
	if out.Type != graph.Uint8 {
		return nil, invalid("operands of other scales")
	}
	return newScaledJoin(j, out, n.In)
}

// sameScales reports whether quantised operands have the scale and zero point
// of the result.
func sameScales(out *Tensor, list []*Tensor) (bool, error) {
	if out.Type != graph.Int8 && out.Type != graph.Uint8 && out.Type != graph.Int16 || out.Quant == nil {
		return true, nil
	}
	same := true
	for _, t := range list {
		if t.Quant == nil {
			return false, invalid("some operands are quantised")
		}
		same = same && t.Quant.Scale[0] == out.Quant.Scale[0] && t.Quant.ZeroPoint(0) == out.Quant.ZeroPoint(0)
	}
	return same, nil
}

// scaledJoin puts operands of eight bits together that have scales of their
// own: ConcatenationWithScaling. What each value becomes is in a table.
type scaledJoin struct {
	*joint
	tables [][256]byte
}

func newScaledJoin(j *joint, out *Tensor, list []*Tensor) (Kernel, error) {
	k := &scaledJoin{joint: j, tables: make([][256]byte, len(list))}
	inverse := 1 / out.Quant.Scale[0]
	for i, t := range list {
		scale := float32(t.Quant.Scale[0] * inverse)
		bias := float32(-float32(t.Quant.ZeroPoint(0)) * scale)
		same := t.Quant.Scale[0] == out.Quant.Scale[0] && t.Quant.ZeroPoint(0) == out.Quant.ZeroPoint(0)
		for v := range 256 {
			if same {
				k.tables[i][v] = byte(v)
				continue
			}
			q := int64(math.Round(float64(float32(float32(v)*scale)+bias))) + out.Quant.ZeroPoint(0)
			k.tables[i][v] = byte(max(0, min(q, 255)))
		}
	}
	return k, nil
}

// Run puts them together.
func (k *scaledJoin) Run(c *Call) error {
	out := c.Out[0]
	copy(k.parts, c.In)
	for range k.rows {
		for i, size := range k.sizes {
			for at, v := range k.parts[i][:size] {
				out[at] = k.tables[i][v]
			}
			out, k.parts[i] = out[size:], k.parts[i][size:]
		}
	}
	return nil
}

// stack returns lengths of 1 for tensors that lie in the whole without the
// dimension at.
func stack(whole *Tensor, list []*Tensor, at int) (*joint, error) {
	lengths := make([]int, len(list))
	for k, t := range list {
		if t == nil || t.Type != whole.Type || len(t.Shape)+1 != len(whole.Shape) {
			return nil, invalid("part %d is not like the whole", k)
		}
		for d, n := range t.Shape {
			if n != whole.Shape[skip(d, at)] {
				return nil, invalid("part %d of shape %v in shape %v", k, t.Shape, whole.Shape)
			}
		}
		lengths[k] = 1
	}
	return newJoint(whole, at, lengths)
}

// skip returns the dimension d once dimension at is left out.
func skip(d, at int) int {
	if d >= at {
		return d + 1
	}
	return d
}

func preparePack(n *Node) (Kernel, error) {
	out, err := n.out(0)
	if err != nil {
		return nil, err
	}
	at, err := axis(int64(n.Op.Attributes.Int(1, 0)), len(out.Shape))
	if err != nil {
		return nil, err
	}
	j, err := stack(out, n.In, at)
	if err != nil {
		return nil, err
	}
	return join{j}, nil
}

func prepareUnpack(n *Node) (Kernel, error) {
	in, err := n.in(0)
	if err != nil {
		return nil, err
	}
	at, err := axis(int64(n.Op.Attributes.Int(1, 0)), len(in.Shape))
	if err != nil {
		return nil, err
	}
	j, err := stack(in, n.Out, at)
	if err != nil {
		return nil, err
	}
	return part{j, 0}, nil
}

func prepareSplit(n *Node) (Kernel, error) { return prepareParts(n, 0, 1, -1) }

func prepareSplitV(n *Node) (Kernel, error) { return prepareParts(n, 2, 0, 1) }

// prepareParts takes an operand apart along the dimension that another names.
// If a third says how long the parts are, it must say what was planned.
func prepareParts(n *Node, along, operand, lengths int) (Kernel, error) {
	where, err := n.in(along)
	if err != nil {
		return nil, err
	}
	in, err := n.in(operand)
	if err != nil {
		return nil, err
	}
	if err := indices(where, 1); err != nil {
		return nil, err
	}
	if where.Constant == nil {
		return nil, unsupported("dimension computed at run time")
	}
	at, err := axis(integer(where.Type, where.Constant, 0), len(in.Shape))
	if err != nil {
		return nil, err
	}
	list, err := parts(in, n.Out, at)
	if err != nil {
		return nil, err
	}
	j, err := newJoint(in, at, list)
	if err != nil || lengths < 0 {
		return part{j, operand}, err
	}
	sizes, err := n.in(lengths)
	if err != nil {
		return nil, err
	}
	if err := indices(sizes, len(n.Out)); err != nil {
		return nil, err
	}
	if sizes.Constant == nil {
		return nil, unsupported("lengths computed at run time")
	}
	for k := range n.Out {
		if x := integer(sizes.Type, sizes.Constant, k); x != -1 && x != int64(list[k]) {
			return nil, invalid("part %d of length %d has shape %v", k, x, n.Out[k].Shape)
		}
	}
	return part{j, operand}, nil
}
