package cli

import (
	"context"
	"strings"
	"testing"
)

// A file of records whose last line is torn is checked up to there, and fails.
func TestCertifyTorn(t *testing.T) {
	table := write(t, "good.csv", goodTable)
	code, records, stderr := run(context.Background(), "", "-reps", "1", "-out", "", "-q", "-format", "jsonl", "-strategies", "naive,first-fit", table)
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	first := records[:strings.Index(records, "\n")+1]
	for _, tt := range []struct {
		records, stdout, stderr string
		code                    int
	}{
		{records, "2 records: 2 bounds hold (load 2)", "", ExitOK},
		{records[:len(records)-9], "1 records: 1 bounds hold (load 1)", ":2: last record is not whole", ExitFailed},
		{first + "{}\n", "", ":2: not a record", ExitFailed},
	} {
		code, stdout, stderr := run(context.Background(), tt.records, "certify", "-", table)
		if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("exit code %d, stdout %q, stderr %q; want %+v", code, stdout, stderr, tt)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code, _, _ := run(ctx, records, "certify", "-", table); code != ExitInterrupted {
		t.Errorf("exit code %d after an interrupt", code)
	}
	if n := strings.Count(records, `"bound":{"kind":"load"`); n != 2 {
		t.Errorf("%d of 2 records have their bound", n)
	}
}

const branchesGraph = `i in 2
t a 9
t b 9
t c 1
t d 1
o out 1
n Conv left a in
n Conv right b in
n Conv small-left c a
n Conv small-right d b
n Add sum out c d
`

// What a record says of all orders is checked like its other bound.
func TestCertifyOrders(t *testing.T) {
	model := write(t, "branches.graph", branchesGraph)
	code, record, stderr := run(context.Background(), "", "-reps", "1", "-out", "", "-q", "-format", "jsonl",
		"-strategies", "naive", "-profile", "plain", model)
	if code != ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, tt := range []struct{ old, new, stdout string }{
		{"", "", "1 bounds hold"},
		{`"order_bound_bytes":12`, `"order_bound_bytes":13`, "the bound on all orders is 13 bytes, its witness is for 12, and this order needs 20"},
		{`"order_least_bytes":12`, `"order_least_bytes":11`, "the bound on all orders is 12 bytes"},
		{`"order_bound":`, `"was":`, "it states a bound on all orders without a witness"},
	} {
		if !strings.Contains(record, tt.old) {
			t.Fatalf("the record has no %s: %s", tt.old, record)
		}
		code, stdout, stderr := run(context.Background(), strings.Replace(record, tt.old, tt.new, 1), "certify", "-", model)
		if !strings.Contains(stdout, tt.stdout) || (code == ExitOK) != (tt.old == "") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", tt.new, code, stdout, stderr)
		}
	}
	// A witness for more than it proves.
	wrong := strings.NewReplacer(`"order_bound_bytes":12`, `"order_bound_bytes":13`, `"order_least_bytes":12`, `"order_least_bytes":13`,
		`"value":12`, `"value":13`).Replace(record)
	if _, stdout, _ := run(context.Background(), wrong, "certify", "-", model); !strings.Contains(stdout, "13 claimed") {
		t.Errorf("a wrong witness is not found out: %s\n%s", stdout, wrong)
	}
}
