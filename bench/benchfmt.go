package bench

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// benchEncoder writes the Go benchmark format: lines named
// Plan/model=…/profile=…/order=…/strategy=… with planning time and sizes. Units
// say which way is better, and that sizes are exact, so that benchstat compares
// them without statistics. The samples of a record are spread over up to
// benchRuns lines, as if the benchmark had run that often; a record that has
// lost its samples is one line with their median.
type benchEncoder struct {
	buf *bytes.Buffer
	w   *benchfmt.Writer
}

func newBenchEncoder() *benchEncoder {
	buf := new(bytes.Buffer)
	return &benchEncoder{buf, benchfmt.NewWriter(buf)}
}

func (e *benchEncoder) header(out *bytes.Buffer) error {
	out.WriteString("Unit arena-B better=lower assume=exact\n")
	out.WriteString("Unit bound-B better=higher assume=exact\n")
	return nil
}

func (e *benchEncoder) record(out *bytes.Buffer, r *Record) error {
	if !r.Safe() {
		// The format has no word for failure. A line that begins like this is
		// for people: readers of the format skip it.
		fmt.Fprintf(out, "# %s %s: %s\n", benchName(r), r.Status, oneLine(r.Error))
		return nil
	}
	res := &benchfmt.Result{
		Name: benchfmt.Name(benchName(r)),
		Values: []benchfmt.Value{
			{Unit: "ns/op"},
			{Value: float64(r.ArenaBytes), Unit: "arena-B"},
			{Value: float64(r.LowerBoundBytes), Unit: "bound-B"},
		},
	}
	for _, c := range [][2]string{
		{"goos", r.Host.OS}, {"goarch", r.Host.Arch}, {"cpu", r.Host.CPU}, {"go", r.Host.Go}, {"tool", r.Tool},
	} {
		if c[1] != "" {
			res.Config = append(res.Config, benchfmt.Config{Key: c[0], Value: []byte(oneLine(c[1])), File: true})
		}
	}
	e.buf.Reset()
	if err := e.runs(res, r); err != nil {
		return err
	}
	out.Write(e.buf.Bytes())
	return nil
}

// benchRuns is the number of runs that benchstat finds enough for an interval.
const benchRuns = 10

// runs writes the lines of a record.
func (e *benchEncoder) runs(res *benchfmt.Result, r *Record) error {
	if len(r.Samples) < 2 {
		res.Iters, res.Values[0].Value = max(r.PlanReps, 1), r.PlanNS
		return e.w.Write(res)
	}
	n := min(len(r.Samples), benchRuns)
	for i := range n {
		part := r.Samples[i*len(r.Samples)/n : (i+1)*len(r.Samples)/n]
		var sum float64
		for _, ns := range part {
			sum += ns
		}
		res.Iters, res.Values[0].Value = len(part), sum/float64(len(part))
		if err := e.w.Write(res); err != nil {
			return err
		}
	}
	return nil
}

// benchName ends in -GOMAXPROCS always, as benchstat would take the end of a
// strategy named "x-2" for it.
func benchName(r *Record) string {
	return fmt.Sprintf("Plan/model=%s/profile=%s/order=%s/strategy=%s-%d",
		escapeName(r.Model), escapeName(r.Profile), escapeName(r.Order), escapeName(r.Strategy), max(r.Host.GOMAXPROCS, 1))
}

// escapeName writes %XX for the bytes that mean something in a benchmark name,
// so that different names stay different.
func escapeName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '/' || r == '=' || r == '%' || r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine replaces line breaks by spaces.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}
