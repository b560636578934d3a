package tflite

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/graph/tflite/internal/schema"
	flatbuffers "github.com/google/flatbuffers/go"
)

// slotData is the vtable position of Buffer.data, the first slot.
const slotData = 4

// buffers finds the constant data: in the FlatBuffer, behind it in the same
// file, or in another file. The external ones come after the others in
// Model.Buffers.
func (d *decoder) buffers() {
	n := d.raw.BuffersLength()
	d.m.Buffers = make([]graph.Buffer, n, n+d.raw.ExternalBuffersLength())
	var raw schema.Buffer
	for i := range d.m.Buffers {
		d.raw.Buffers(&raw, i)
		b, err := locate(&raw, d.m.FileBytes)
		if err != nil {
			d.faults.add("buffer %d: %w", i, err)
		}
		d.m.Buffers[i] = b
	}
	d.externalBuffers()
}

// locate returns where the data of a buffer lie in the file.
func locate(raw *schema.Buffer, fileBytes int64) (graph.Buffer, error) {
	t := raw.Table()
	if at := t.Offset(slotData); at != 0 {
		o := flatbuffers.UOffsetT(at)
		return graph.Buffer{Offset: int64(t.Vector(o)), Size: int64(t.VectorLen(o))}, nil
	}
	offset, size := raw.Offset(), raw.Size()
	if offset <= 1 || size == 0 { // the schema's way to say there is none
		return graph.Buffer{}, nil
	}
	if offset > uint64(fileBytes) || size > uint64(fileBytes)-offset {
		return graph.Buffer{}, fmt.Errorf("%d bytes at offset %d lie outside the file of %d bytes", size, offset, fileBytes)
	}
	return graph.Buffer{Offset: int64(offset), Size: int64(size)}, nil
}

func (d *decoder) externalBuffers() {
	n := d.raw.ExternalBuffersLength()
	if n == 0 {
		return
	}
	d.external = make(map[uint32]int, n)
	files := make([]string, d.raw.ExternalBufferGroupsLength())
	var group schema.ExternalBufferGroup
	for i := range files {
		d.raw.ExternalBufferGroups(&group, i)
		files[i] = string(group.Name())
	}
	var raw schema.ExternalBuffer
	for i := range n {
		d.raw.ExternalBuffers(&raw, i)
		id := raw.Id()
		_, twice := d.external[id]
		switch {
		case id == 0 || twice:
			d.faults.add("external buffer %d: id %d is 0 or not unique", i, id)
		case int64(raw.Group()) >= int64(len(files)) || files[raw.Group()] == "":
			d.faults.add("external buffer %d: group %d names no file (%d groups)", i, raw.Group(), len(files))
		case raw.Offset() > math.MaxInt64 || raw.Length() > math.MaxInt64-raw.Offset():
			d.faults.add("external buffer %d: %d bytes at offset %d overflow", i, raw.Length(), raw.Offset())
		default:
			d.external[id] = len(d.m.Buffers)
			d.m.Buffers = append(d.m.Buffers, graph.Buffer{
				Offset: int64(raw.Offset()), Size: int64(raw.Length()), External: files[raw.Group()],
			})
		}
	}
}

// offlineName is the metadata that carries an arena plan, by exact name.
const offlineName = "OfflineMemoryAllocation"

func (d *decoder) metadata() {
	n := d.raw.MetadataLength()
	if n == 0 {
		return
	}
	d.m.Metadata = make([]graph.Metadata, n)
	var raw schema.Metadata
	for i := range d.m.Metadata {
		d.raw.Metadata(&raw, i)
		meta := graph.Metadata{Name: string(raw.Name()), Buffer: int(raw.Buffer())}
		d.m.Metadata[i] = meta
		if int64(raw.Buffer()) >= int64(d.raw.BuffersLength()) {
			d.faults.add("metadata %d %q: buffer index %d is out of range (%d buffers)",
				i, meta.Name, raw.Buffer(), d.raw.BuffersLength())
			continue
		}
		if meta.Name == offlineName {
			d.offline(d.m.Buffers[meta.Buffer])
		}
	}
}

// offline reads an arena plan. One that is malformed is not used, which is no
// fault of the model: planning needs none.
func (d *decoder) offline(b graph.Buffer) {
	if d.m.Offline != nil {
		d.note("metadata %s: more than one; the first is used", offlineName)
		return
	}
	plan, err := parseOffline(d.data[b.Offset:b.Offset+b.Size], d.m.Subgraphs)
	if err != nil {
		d.note("metadata %s: plan rejected: %v", offlineName, err)
		return
	}
	d.m.Offline = plan
	if err := d.m.CheckOffline(); err != nil {
		d.note("metadata %s: %v", offlineName, err)
	}
}

// parseOffline reads 32-bit words: version, number of subgraphs, number of
// tensors N of all subgraphs, N offsets in tensor order, -1 for none. The
// second word is not checked: runtimes ignore it.
func parseOffline(data []byte, subgraphs []*graph.Subgraph) (*graph.OfflinePlan, error) {
	const header = 12
	if len(data) < header {
		return nil, fmt.Errorf("%d bytes are too short for a header of %d", len(data), header)
	}
	total := 0
	for _, s := range subgraphs {
		total += len(s.Tensors)
	}
	word := func(i int) int32 { return int32(binary.LittleEndian.Uint32(data[4*i:])) }
	if n := word(2); int(n) != total {
		return nil, fmt.Errorf("%d offsets for %d tensors", n, total)
	}
	if len(data) != header+4*total {
		return nil, fmt.Errorf("%d bytes instead of %d for %d tensors", len(data), header+4*total, total)
	}
	plan := &graph.OfflinePlan{Version: word(0), Offsets: make([][]int64, len(subgraphs))}
	at := 3
	for i, s := range subgraphs {
		plan.Offsets[i] = make([]int64, len(s.Tensors))
		for t := range s.Tensors {
			off := word(at)
			if off < graph.Online {
				return nil, fmt.Errorf("subgraph %d: tensor %d %q has offset %d", i, t, s.Tensors[t].Name, off)
			}
			plan.Offsets[i][t] = int64(off)
			at++
		}
	}
	return plan, nil
}
