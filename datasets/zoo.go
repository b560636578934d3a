package datasets

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite"
)

// Params sizes a network. Zero means the builder's default. What a field means
// for a network is said by its builder's Meaning.
type Params struct {
	Resolution int // rows of the input image, or length of the sequence
	Columns    int // of the input image; 0: as many as rows, unless the builder has a default
	Width      int // channels of the first stage; the others follow
	Depth      int // cells, blocks, layers or levels
	Classes    int
	Batch      int
	Quantized  bool   // int8 throughout, else float32
	Seed       uint64 // of the weights, and of the wiring of random networks
}

// Builder makes the files of one family of networks.
type Builder struct {
	Name      string // kebab-case
	Title     string
	Summary   string // one line
	Reference string // where the architecture was published
	Meaning   string // what Resolution, Width and Depth are
	Defaults  Params
	MinSize   int  // smallest Resolution and Columns; 0: 1
	MaxDepth  int  // largest Depth; 0: 256
	Int8      bool // can be built with Quantized
	Sequence  bool // reads a sequence, which has no Columns
	// Build returns a .tflite file with random weights, the same bytes for the
	// same parameters. Parameters out of range, and networks with more than
	// 512 MiB of constants, are errors.
	Build func(Params) ([]byte, error)
	// Sketch returns the network that Build makes, but without weights:
	// constants have shapes and no data. It costs little at any size, which is
	// all that planning needs.
	Sketch func(Params) (*graph.Model, error)
}

// Zoo returns every builder, sorted by name.
func Zoo() []Builder {
	families := []family{
		mobileNetV1, mobileNetV2, resNet, inception, denseNet, uNet, fpn,
		nasNetA, amoebaNetA, pnasNet5, dartsV2, randWire,
		deepLabV3, inceptionV3, poseNet, blazeFace,
		lstm, transformer, whileLoop, ifBranch,
	}
	list := make([]Builder, len(families))
	for i, f := range families {
		f.Builder.Build, f.Builder.Sketch = f.build, f.sketch
		list[i] = f.Builder
	}
	slices.SortFunc(list, func(a, b Builder) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Lookup returns the builder of that name.
func Lookup(name string) (Builder, bool) {
	for _, b := range Zoo() {
		if b.Name == name {
			return b, true
		}
	}
	return Builder{}, false
}

// family is a builder and the function that draws its network.
type family struct {
	Builder
	draw func(*model, Params)
}

func (f family) build(p Params) ([]byte, error) {
	// Drawn first without weights: what is too large is refused at no cost.
	if _, err := f.drawn(p, true); err != nil {
		return nil, err
	}
	m, err := f.drawn(p, false)
	if err != nil {
		return nil, err
	}
	data, err := m.file.Encode()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return data, nil
}

// drawn returns the network for the parameters; a dry one has no weights.
func (f family) drawn(p Params, dry bool) (*model, error) {
	p = f.Filled(p)
	if err := f.check(p); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	m := &model{dry: dry, rng: newRand(p.Seed, f.Name), int8: p.Quantized}
	if f.draw(m, p); m.err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, m.err)
	}
	m.file.Description = f.Title + ", random weights"
	m.sign()
	return m, nil
}

// newRand returns a generator of its own for every network.
func newRand(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Filled returns p with defaults in place of zeros, as Build takes it.
func (b Builder) Filled(p Params) Params {
	d := b.Defaults
	for _, f := range [][2]*int{
		{&p.Resolution, &d.Resolution}, {&p.Width, &d.Width}, {&p.Depth, &d.Depth},
		{&p.Classes, &d.Classes}, {&p.Batch, &d.Batch},
	} {
		if *f[0] == 0 {
			*f[0] = *f[1]
		}
	}
	if p.Columns == 0 && !b.Sequence {
		p.Columns = p.Resolution
		if d.Columns > 0 { // of the same proportions
			p.Columns = max((p.Resolution*d.Columns+d.Resolution/2)/max(d.Resolution, 1), b.MinSize, 1)
		}
	}
	if p.Batch == 0 {
		p.Batch = 1
	}
	if p.Seed == 0 {
		p.Seed = 1
	}
	return p
}

// check refuses parameters that no network of this kind could have.
func (f family) check(p Params) error {
	depth := f.MaxDepth
	if depth == 0 {
		depth = 256
	}
	size := max(f.MinSize, 1)
	for _, c := range []struct {
		name            string
		value, min, max int
	}{
		{"resolution", p.Resolution, size, 8192}, {"columns", p.Columns, size, 8192}, {"width", p.Width, 1, 4096},
		{"depth", p.Depth, 1, depth}, {"classes", p.Classes, 1, 1 << 16}, {"batch", p.Batch, 1, 1024},
	} {
		if c.name == "columns" && f.Sequence {
			if c.value != 0 {
				return errors.New("reads a sequence, which has no columns")
			}
			continue
		}
		if c.value < c.min || c.value > c.max {
			return fmt.Errorf("%s %d is not in %d..%d", c.name, c.value, c.min, c.max)
		}
	}
	if p.Quantized && !f.Int8 {
		return errors.New("has no int8 form")
	}
	return nil
}

// sign gives the main subgraph the signature that runtimes call by name.
func (m *model) sign() {
	main := &m.file.Subgraphs[0]
	s := tflite.Signature{Key: "serving_default"}
	for _, t := range main.Inputs {
		s.Inputs = append(s.Inputs, named(main, t))
	}
	for _, t := range main.Outputs {
		s.Outputs = append(s.Outputs, named(main, t))
	}
	m.file.Signatures = []tflite.Signature{s}
}
