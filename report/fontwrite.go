package report

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// cmapTable maps characters, ascending, to glyphs: format 4, a segment each.
func cmapTable(chars, glyphs []uint16) []byte {
	n := len(chars) + 1 // the last segment is prescribed
	u16 := binary.BigEndian.AppendUint16
	sub := u16(nil, 4)
	sub = u16(sub, uint16(16+8*n))
	sub = u16(sub, 0)
	sub = u16(sub, uint16(2*n))
	log := bits.Len(uint(n)) - 1
	sub = u16(sub, uint16(2<<log))
	sub = u16(sub, uint16(log))
	sub = u16(sub, uint16(2*n-2<<log))
	ends := append(slices.Clone(chars), 0xFFFF)
	for _, c := range ends {
		sub = u16(sub, c)
	}
	sub = u16(sub, 0)
	for _, c := range ends {
		sub = u16(sub, c)
	}
	for i, c := range chars {
		sub = u16(sub, glyphs[i]-c)
	}
	sub = u16(sub, 1)
	for range n {
		sub = u16(sub, 0)
	}
	head := []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12}
	return append(head, sub...)
}

// assemble writes the file.
func (f *fontTables) assemble(glyphs []uint16, glyf []byte, loca []uint32, cmap []byte) []byte {
	count := uint16(len(glyphs))
	tables := map[string][]byte{
		"OS/2": slices.Clone(f.byTag["OS/2"]), "name": emptyName, "cmap": cmap, "glyf": glyf,
		"head": slices.Clone(f.byTag["head"]),
		"hhea": slices.Clone(f.byTag["hhea"]),
		"maxp": slices.Clone(f.byTag["maxp"]),
		"post": make([]byte, 32),
	}
	binary.BigEndian.PutUint32(tables["head"][8:], 0)
	binary.BigEndian.PutUint16(tables["head"][50:], 1)
	binary.BigEndian.PutUint16(tables["hhea"][34:], count)
	binary.BigEndian.PutUint16(tables["maxp"][4:], count)
	binary.BigEndian.PutUint32(tables["post"], 0x00030000)
	for _, g := range glyphs {
		tables["hmtx"] = append(tables["hmtx"], f.metrics(g)...)
	}
	for _, at := range loca {
		tables["loca"] = binary.BigEndian.AppendUint32(tables["loca"], at)
	}
	return assembleTables(tables)
}

// emptyName is a name table without names.
var emptyName = []byte{0, 0, 0, 0, 0, 6}

func assembleTables(tables map[string][]byte) []byte {
	tags := make([]string, 0, len(tables))
	for tag := range tables {
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	u16, u32 := binary.BigEndian.AppendUint16, binary.BigEndian.AppendUint32
	n := len(tags)
	log := bits.Len(uint(n)) - 1
	out := u32(nil, 0x00010000)
	out = u16(out, uint16(n))
	out = u16(out, uint16(16<<log))
	out = u16(out, uint16(log))
	out = u16(out, uint16(16*n-16<<log))
	var body []byte
	for _, tag := range tags {
		data := tables[tag]
		from := len(body)
		body = append(body, data...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
		out = append(out, tag...)
		out = u32(out, checksum(body[from:]))
		out = u32(out, uint32(12+16*n+from))
		out = u32(out, uint32(len(data)))
	}
	return append(out, body...)
}

// checksum is the sum of the 32-bit words, whose number is whole.
func checksum(data []byte) uint32 {
	var sum uint32
	for i := 0; i+4 <= len(data); i += 4 {
		sum += binary.BigEndian.Uint32(data[i:])
	}
	return sum
}
