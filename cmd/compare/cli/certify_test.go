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
