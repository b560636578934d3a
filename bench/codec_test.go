package bench_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"
)

// sample returns a good and a failed record.
func sample() []bench.Record {
	host := bench.Host{OS: "linux", Arch: "amd64", CPU: "Some CPU @ 3 GHz", Cores: 4, GOMAXPROCS: 4, Go: "go1.26"}
	return []bench.Record{{
		Schema: 1, Tool: "v1", Model: "kws", Path: "m/kws.tflite", Hash: "ab", Source: "model", Profile: "litert",
		Order: "stored", Strategy: "greedy-size", Seed: 1<<64 - 1, Status: lifetime.Optimal, Operators: 12, Buffers: 30,
		ArenaBytes: 1 << 40, LowerBoundBytes: 1 << 40, BoundKind: lifetime.BoundLoad, BoundStep: 3, PeakLiveBytes: 1 << 40,
		Bound:       &lifetime.Bound{Value: 1 << 40, Kind: lifetime.BoundLoad, Step: 3, Buffers: []int{1, 2, 29}},
		Convergence: []bench.Improvement{{5, 6, 1<<40 + 7, 8}, {9, 10, 1 << 40, 1 << 40}},
		NaiveBytes:  1<<41 + 1, PersistentBytes: 5, Reuse: 0.5, PlanNS: 1234.5, PlanNSLow: 1000, PlanNSHigh: 2000, PlanReps: 10,
		Validated: "symbolic", Warnings: []string{"one", "two"}, Host: host,
	}, {
		Schema: 1, Tool: "v1", Model: "a b/c=d%", Path: "x.csv", Source: "table", Profile: "table", Order: "given",
		Strategy: "litert-2", Status: lifetime.Failed, Error: "first line\nsecond <line>", Host: host,
	}, {
		Schema: 1, Tool: "v2", Model: "a b/c=d%", Path: "x.csv", Source: "table", Profile: "table", Order: "given",
		Strategy: "litert-2", Status: lifetime.Feasible, ArenaBytes: 30, LowerBoundBytes: 20, Gap: 0.5, PlanNS: 10,
		PlanReps: 7, Validated: "check", Host: host,
	}}
}

// write returns the file that holds the records.
func write(t *testing.T, f bench.Format, recs []bench.Record) string {
	t.Helper()
	var buf bytes.Buffer
	w, err := bench.NewWriter(&buf, "buffer", f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range recs {
		if err := w.Write(&recs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return buf.String()
}

func TestJSONLRoundTrip(t *testing.T) {
	recs := sample()
	text := write(t, bench.JSONL, recs)
	if n := strings.Count(text, "\n"); n != len(recs) {
		t.Errorf("%d lines for %d records", n, len(recs))
	}
	got, err := bench.ReadJSONL(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(recs, got); d != "" {
		t.Errorf("(-written +read):\n%s", d)
	}
}

// Cut off anywhere, a file gives the records that are whole, and says so if
// one is not.
func TestTornFile(t *testing.T) {
	recs := sample()
	text := write(t, bench.JSONL, recs)
	for cut := range len(text) {
		got, err := bench.ReadJSONL(strings.NewReader(text[:cut]), "f")
		whole := strings.Count(text[:cut+1], "\n") // the newline alone may be missing
		if len(got) != whole {
			t.Fatalf("cut at %d: %d records, want %d", cut, len(got), whole)
		}
		atEnd := cut == 0 || text[cut-1] == '\n' || text[cut] == '\n'
		var torn *bench.TornError
		if errors.As(err, &torn) == atEnd {
			t.Fatalf("cut at %d: error %v", cut, err)
		}
		if torn != nil && torn.Line != whole+1 {
			t.Fatalf("cut at %d: line %d, want %d", cut, torn.Line, whole+1)
		}
	}
}

func TestReadErrors(t *testing.T) {
	good := write(t, bench.JSONL, sample()[:1])
	tests := []struct {
		name, text, want string
		records          int
	}{
		{"fault in the middle", good + "{\"schema\":1,\n" + good, "f:2: record", 1},
		{"newer schema", good + "\n{\"schema\":2}\n", "f:3: schema version 2 is newer", 1},
		{"other JSON", "{\"name\":\"x\"}\n", "f:1: not a record", 0},
		{"wrong type", "{\"schema\":\"one\"}", "f:1: record", 0},
		{"unknown status", "{\"schema\":1,\"status\":\"great\"}\n", "unknown status", 0},
	}
	for _, test := range tests {
		got, err := bench.ReadJSONL(strings.NewReader(test.text), "f")
		if err == nil || !strings.Contains(err.Error(), test.want) || len(got) != test.records {
			t.Errorf("%s: %d records, error %v; want %d, %q", test.name, len(got), err, test.records, test.want)
		}
		var torn *bench.TornError
		if errors.As(err, &torn) {
			t.Errorf("%s: taken for a torn line", test.name)
		}
	}
	failing := io.MultiReader(strings.NewReader(good), iotestErr{})
	if got, err := bench.ReadJSONL(failing, "f"); !errors.Is(err, errDisk) || len(got) != 1 {
		t.Errorf("failing reader: %d records, error %v", len(got), err)
	}
}

var errDisk = errors.New("no space left on device")

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errDisk }

// fullDisk takes a number of bytes and no more.
type fullDisk struct {
	bytes.Buffer
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room-d.Len())
	d.Buffer.Write(p[:n])
	if n < len(p) {
		return n, errDisk
	}
	return n, nil
}

func TestFullDisk(t *testing.T) {
	rec := sample()[0]
	disk := &fullDisk{room: 2000}
	w, err := bench.NewWriter(disk, "out.jsonl", bench.JSONL)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for ; err == nil && written < 1000; written++ {
		err = w.Write(&rec)
	}
	written--
	if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "out.jsonl") {
		t.Fatalf("error %v, want one of the disk that names the file", err)
	}
	if again := w.Write(&rec); again != err {
		t.Errorf("the next write gives %v", again)
	}
	got, err := bench.ReadJSONL(&disk.Buffer, "out.jsonl")
	var torn *bench.TornError
	if !errors.As(err, &torn) || len(got) != written || written == 0 {
		t.Errorf("%d of %d records left, %v", len(got), written, err)
	}
	if _, err := bench.NewWriter(&fullDisk{}, "out.csv", bench.CSV); !errors.Is(err, errDisk) {
		t.Errorf("header on a full disk: error %v", err)
	}
}

// Every record is one call of Write, so that it is on its way when it is done.
func TestOneWritePerRecord(t *testing.T) {
	for _, f := range []bench.Format{bench.JSONL, bench.CSV, bench.Benchmark} {
		var calls callCounter
		w, err := bench.NewWriter(&calls, "f", f)
		if err != nil {
			t.Fatal(err)
		}
		before := calls
		for _, r := range sample() {
			if err := w.Write(&r); err != nil {
				t.Fatal(err)
			}
		}
		if n := int(calls - before); n != len(sample()) {
			t.Errorf("%s: %d calls for %d records", f, n, len(sample()))
		}
	}
}

type callCounter int

func (c *callCounter) Write(p []byte) (int, error) { *c++; return len(p), nil }

func TestCSV(t *testing.T) {
	recs := sample()
	text := write(t, bench.CSV, recs)
	if n := strings.Count(text, "\n"); n != len(recs)+1 {
		t.Errorf("%d lines for %d records", n, len(recs))
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	for _, c := range []struct {
		row        int
		name, want string
	}{
		{1, "model", "kws"}, {1, "arena_bytes", "1099511627776"}, {1, "seed", "18446744073709551615"},
		{1, "plan_ns", "1234.5"}, {1, "warnings", "one; two"}, {1, "host_cores", "4"}, {1, "status", "optimal"},
		{2, "error", "first line second <line>"}, {3, "gap", "0.5"},
	} {
		if got := at(c.row, c.name); got != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row, c.name, got, c.want)
		}
	}
}

// The columns are the fields of Record, in their order, and each shows its own
// field.
func TestColumnsAreFields(t *testing.T) {
	var want []string
	var rec bench.Record
	number := 1000
	var walk func(v reflect.Value, prefix string)
	walk = func(v reflect.Value, prefix string) {
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if f := v.Field(i).Type(); f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice && f.Elem().Kind() == reflect.Struct {
				continue // more than a value
			}
			if v.Field(i).Kind() == reflect.Struct {
				walk(v.Field(i), name+"_")
				continue
			}
			number++
			switch f := v.Field(i); f.Kind() {
			case reflect.String:
				f.SetString(prefix + name)
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(number))
			case reflect.Uint64:
				f.SetUint(uint64(number))
			case reflect.Float64:
				f.SetFloat(float64(number))
			case reflect.Slice:
				f.Set(reflect.ValueOf([]string{prefix + name}))
			}
			want = append(want, prefix+name)
		}
	}
	walk(reflect.ValueOf(&rec).Elem(), "")
	rec.Status = lifetime.Infeasible

	var got []string
	values := make(map[string]string)
	for _, c := range bench.Columns() {
		got = append(got, c.Name)
		if c.Doc == "" {
			t.Errorf("column %s is not documented", c.Name)
		}
		v := c.Value(&rec)
		if other, ok := values[v]; ok {
			t.Errorf("columns %s and %s show the same field", other, c.Name)
		}
		values[v] = c.Name
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("columns (-fields +columns):\n%s", d)
	}
}

func TestBenchmarkFormat(t *testing.T) {
	text := write(t, bench.Benchmark, sample())
	if !strings.Contains(text, "error: first line second <line>") {
		t.Errorf("the failed record is not mentioned:\n%s", text)
	}
	type result struct {
		name, tool, cpu   string
		iters             int
		sec, arena, bound float64
	}
	var got []result
	r := benchfmt.NewReader(strings.NewReader(text), "f")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			value := func(unit string) float64 {
				v, ok := rec.Value(unit)
				if !ok {
					t.Errorf("%s has no %s", rec.Name, unit)
				}
				return v
			}
			got = append(got, result{rec.Name.String(), rec.GetConfig("tool"), rec.GetConfig("cpu"), rec.Iters,
				value("sec/op"), value("arena-B"), value("bound-B")})
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	want := []result{
		{"Plan/model=kws/profile=litert/order=stored/strategy=greedy-size-4", "v1", "Some CPU @ 3 GHz", 10, 1234.5e-9, 1 << 40, 1 << 40},
		{"Plan/model=a%20b%2Fc%3Dd%25/profile=table/order=given/strategy=litert-2-4", "v2", "Some CPU @ 3 GHz", 7, 10e-9, 30, 20},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(result{})); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	units := r.Units()
	if units.GetBetter("arena-B") != -1 || units.GetAssumption("arena-B").SummaryLabel() != "exact" {
		t.Error("arena-B is not known to be exact and better if lower")
	}
}

// Samples become runs, in order and each counted once.
func TestBenchmarkRuns(t *testing.T) {
	for _, n := range []int{1, 2, 7, 10, 23, 100} {
		rec := sample()[0]
		rec.Samples = nil
		var sum float64
		for i := range n {
			rec.Samples = append(rec.Samples, float64(i+1))
			sum += float64(i + 1)
		}
		rec.PlanReps, rec.PlanNS = n, sum/float64(n)
		r := benchfmt.NewReader(strings.NewReader(write(t, bench.Benchmark, []bench.Record{rec})), "f")
		lines, iters, total, last := 0, 0, 0.0, 0.0
		for r.Scan() {
			if res, ok := r.Result().(*benchfmt.Result); ok {
				v, _ := res.Value("sec/op")
				if v <= last {
					t.Errorf("%d samples: runs are out of order", n)
				}
				last = v
				lines, iters, total = lines+1, iters+res.Iters, total+v*1e9*float64(res.Iters)
			}
		}
		if lines != min(n, 10) || iters != n || total < sum-1e-3 || total > sum+1e-3 {
			t.Errorf("%d samples of %v ns: %d runs of %d samples, %v ns", n, sum, lines, iters, total)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := bench.NewWriter(io.Discard, "f", "xml"); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("error %v does not name the formats there are", err)
	}
}

// Whatever an interrupted run left behind, appending gives a file that reads
// well.
func TestOpenFile(t *testing.T) {
	recs := sample()
	text := write(t, bench.JSONL, recs)
	first := strings.Index(text, "\n") + 1
	rapid.Check(t, func(rt *rapid.T) {
		cut := rapid.IntRange(0, len(text)).Draw(rt, "cut")
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, []byte(text[:cut]), 0o666); err != nil {
			rt.Fatal(err)
		}
		f, err := bench.OpenFile(path, bench.JSONL)
		if err != nil {
			rt.Fatal(err)
		}
		if err := errors.Join(f.Write(&recs[0]), f.Close()); err != nil {
			rt.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		whole := strings.Count((text + "\n")[:cut+1], "\n") // the newline alone may be missing
		if cut == len(text) {
			whole = len(recs)
		}
		want := strings.Join(strings.SplitAfter(text, "\n")[:whole], "") + text[:first]
		if string(data) != want {
			rt.Errorf("cut at %d of %d: file is\n%s\nwant\n%s", cut, len(text), data, want)
		}
	})
}

func TestOpenCSVFile(t *testing.T) {
	recs := sample()
	path := filepath.Join(t.TempDir(), "r.csv")
	for i := range recs {
		f, err := bench.OpenFile(path, bench.CSV)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Write(&recs[i]), f.Close()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := write(t, bench.CSV, recs[:i+1]); string(data) != want {
			t.Fatalf("after %d records:\n%s\nwant\n%s", i+1, data, want)
		}
		// What a run that was killed may leave.
		if err := os.WriteFile(path, append(data, "1,v1,kws,\"m/"...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bench.OpenFile(t.TempDir(), bench.CSV); err == nil {
		t.Error("no error for a folder")
	}
}

func TestKey(t *testing.T) {
	base := sample()[0]
	same := base
	same.Model, same.Path, same.ArenaBytes, same.PlanNS, same.Host = "other", "elsewhere", 1, 2, bench.Host{}
	if base.Key() != same.Key() {
		t.Error("the key depends on where the file lies, or on what came out")
	}
	seen := map[string]string{base.Key(): "base"}
	for name, change := range map[string]func(*bench.Record){
		"hash":     func(r *bench.Record) { r.Hash = "cd" },
		"subgraph": func(r *bench.Record) { r.Subgraph = 1 },
		"profile":  func(r *bench.Record) { r.Profile = "tflm" },
		"order":    func(r *bench.Record) { r.Order = "x" },
		"strategy": func(r *bench.Record) { r.Strategy = "x" },
		"seed":     func(r *bench.Record) { r.Seed = 1 },
		"align":    func(r *bench.Record) { r.Align = 1 },
		"tool":     func(r *bench.Record) { r.Tool = "v2" },
		"no hash":  func(r *bench.Record) { r.Hash = "" },
		"path":     func(r *bench.Record) { r.Hash, r.Path = "", "other" },
		"moved":    func(r *bench.Record) { r.Profile, r.Order = "litert\" \"stored", "" },
	} {
		r := base
		change(&r)
		if other, ok := seen[r.Key()]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[r.Key()] = name
	}
	if len(base.Key()) != 32 {
		t.Errorf("key %q", base.Key())
	}
}

func FuzzReadJSONL(f *testing.F) {
	for _, r := range sample() {
		line, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(line, '\n'))
		f.Add(line[:len(line)/2])
	}
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		recs, err := bench.ReadJSONL(bytes.NewReader(data), "f")
		if err == nil && len(recs) > bytes.Count(data, []byte("\n"))+1 {
			t.Errorf("%d records of %d lines", len(recs), bytes.Count(data, []byte("\n"))+1)
		}
		for i := range recs {
			if recs[i].Schema != bench.SchemaVersion {
				t.Errorf("record of schema %d", recs[i].Schema)
			}
		}
	})
}
