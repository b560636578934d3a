package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
)

// Notes of the same kind are one line that counts the models, whatever the
// number of strategies; those of measured times are left to the records.
func TestNotes(t *testing.T) {
	var recs []bench.Record
	for _, model := range []string{"m1", "m2", "m3", "m4", "m5"} {
		for _, strategy := range []string{"litert", "tflm"} {
			recs = append(recs, bench.Record{
				Schema: bench.SchemaVersion, Source: "model", Model: model, Strategy: strategy, Profile: "litert", Order: "stored",
				Status: lifetime.Optimal, Validated: "symbolic", ArenaBytes: 64, LowerBoundBytes: 64,
				Warnings: []string{"unknown dimensions: tensor " + model, "planning time: few samples"},
			})
		}
	}
	recs[9].Warnings = append(recs[9].Warnings, "odd")
	var buf bytes.Buffer
	if err := Summary(&buf, recs, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nunknown dimensions: m1, m2, m3 [2 others]\n", "\nodd: m5\n"} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no line %q in\n%s", want, &buf)
		}
	}
	for _, unwanted := range []string{"samples", "tensor m1"} {
		if strings.Contains(buf.String(), unwanted) {
			t.Errorf("%q is in\n%s", unwanted, &buf)
		}
	}
}
