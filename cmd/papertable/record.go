package main

import "math"

// record is a line of the file of figures.
type record struct {
	Network    string   `json:"network"`
	Builder    string   `json:"builder"`
	Rows       int      `json:"image_rows"`
	Columns    int      `json:"image_columns"`
	Width      int      `json:"width"` // channels of the stem
	Form       string   `json:"form"`  // "as built", or what was changed
	Operators  int      `json:"operators"`
	Tensors    int      `json:"tensors"`
	TableHash  string   `json:"table_sha256"`
	Row        string   `json:"row"`
	Kind       string   `json:"kind"` // "sum", "bound", "offsets" or "objects"
	Bytes      int64    `json:"bytes"`
	Objects    int      `json:"objects,omitempty"`
	MiB        float64  `json:"mib"`
	Published  *float64 `json:"published_mib,omitempty"`
	SecondHand bool     `json:"published_second_hand,omitempty"`
}

func (r *result) records() []record {
	out := r.recordsOf("as built", &r.main)
	for i := range r.forms {
		out = append(out, r.recordsOf(r.network.forms[i].title, &r.forms[i])...)
	}
	return out
}

func (r *result) recordsOf(form string, m *measurement) []record {
	var out []record
	for _, row := range allRows() {
		bytes, ok := m.bytes[row]
		if !ok {
			continue
		}
		rec := record{Network: r.network.title, Builder: r.network.builder, Rows: m.params.Resolution,
			Columns: m.params.Columns, Width: m.params.Width, Form: form, Operators: m.ops, Tensors: m.tensors,
			TableHash: m.hash, Row: row, Kind: kindOf(row, m), Bytes: bytes, Objects: m.objects[row],
			MiB: rounded(bytes)}
		if f, ok := r.network.published[row]; ok {
			rec.Published, rec.SecondHand = &f.mib, !f.checked
		}
		out = append(out, rec)
	}
	return out
}

// allRows returns the rows in the order of the table.
func allRows() []string {
	return append([]string{rowNaive, rowLoad, bestOffset, rowObjects}, strategyRows[1:]...)
}

func kindOf(row string, m *measurement) string {
	switch {
	case row == rowNaive:
		return "sum"
	case row == rowLoad, row == rowObjects:
		return "bound"
	case m.objects[row] > 0:
		return "objects"
	}
	return "offsets"
}

// rounded returns MiB to three decimals.
func rounded(bytes int64) float64 { return math.Round(1000*mib(bytes)) / 1000 }

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
