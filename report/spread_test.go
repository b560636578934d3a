package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
)

func TestSpreads(t *testing.T) {
	spreads := []bench.Spread{
		{Model: "m1", Strategy: "steady", Bound: 100, Native: 110, Runs: 24, Min: 110, Median: 110, Max: 110},
		{Model: "m1", Strategy: "lottery", Bound: 100, Native: 120, Runs: 24, Min: 100, Median: 120, Max: 150},
		{Model: "m2", Strategy: "steady", Bound: 100, Native: 110, Runs: 24, Min: 110, Median: 110, Max: 110},
		{Model: "m2", Strategy: "lottery", Bound: 100, Native: 100, Runs: 24, Min: 100, Median: 100, Max: 100},
		{Model: "m3", Strategy: "steady", Bound: 100, Native: 100, Runs: 24, Min: 100, Median: 100, Max: 100},
		{Model: "m3", Strategy: "lottery", Bound: 100, Failed: 24},
	}
	var buf bytes.Buffer
	if err := Spreads(&buf, spreads, Options{}); err != nil {
		t.Fatal(err)
	}
	text := buf.String()
	for _, want := range []string{
		"2 tables × 2 strategies", "lottery   1 of 2", "steady    0 of 2", "1 table left out",
		"lottery moves most: on m1 its arena is up to +50.0% larger", "+22.5%", // sqrt(1.5 × 1)
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "steady ") > strings.Index(text, "lottery ") {
		t.Errorf("the steady strategy is not first:\n%s", text)
	}
	for _, f := range []Format{Markdown, LaTeX, HTML} {
		if err := Spreads(&buf, nil, Options{Format: f}); err != nil {
			t.Errorf("%s without data: %v", f, err)
		}
	}
}
