package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/report"
)

// output takes the cells of a run as they come: it streams the records that
// programs read, and keeps what the tables and pictures at the end need. An
// error of one file stops that file alone.
type output struct {
	o      *options
	e      env
	recs   []bench.Record
	maps   *mapPicker
	live   *livePicker
	stream *bench.Writer // of stdout, for csv, jsonl and bench
	files  []*bench.File
	errs   []error
}

// The files in the output folder.
const (
	resultsName  = "results.jsonl"
	previousName = "results-previous.jsonl"
	plotsName    = "plots"
)

func newOutput(o *options, e env) (*output, error) {
	out := &output{o: o, e: e, maps: newMapPicker(o.plots), live: newLivePicker(o.plots)}
	if f := bench.Format(o.format); f == bench.CSV || f == bench.JSONL || f == bench.Benchmark {
		w, err := bench.NewWriter(e.stdout, "standard output", f)
		if err != nil {
			return nil, err
		}
		out.stream = w
	}
	if o.out == "" {
		return out, nil
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	if err := out.open(resultsName, bench.JSONL); err != nil {
		return nil, err
	}
	return out, out.open("results.csv", bench.CSV)
}

// open starts a file of records anew. The results of the run before are kept
// under another name, in case they were not meant to go.
func (w *output) open(name string, f bench.Format) error {
	path := filepath.Join(w.o.out, name)
	old := path
	if name == resultsName {
		old = filepath.Join(w.o.out, previousName)
		if err := os.Rename(path, old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	} else if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := bench.OpenFile(path, f)
	if err != nil {
		return err
	}
	w.files = append(w.files, file)
	return nil
}

// add writes the cell's record to every stream that still works.
func (w *output) add(c *bench.Cell) {
	w.recs = append(w.recs, c.Record)
	w.maps.add(c)
	w.live.add(c)
	if w.stream != nil {
		if err := w.stream.Write(&c.Record); err != nil {
			w.fail(err)
			w.stream = nil
		}
	}
	w.files = slices.DeleteFunc(w.files, func(f *bench.File) bool {
		err := f.Write(&c.Record)
		if err != nil {
			w.fail(errors.Join(err, f.Close()))
		}
		return err != nil
	})
}

// fail remembers an error of the output and says it at once: a full disk may
// be mended while the run goes on.
func (w *output) fail(err error) {
	fmt.Fprintf(w.e.stderr, "compare: %v\n", err)
	w.errs = append(w.errs, err)
}

// finish writes the tables and, unless the run was interrupted, the pictures.
// It returns an error if any output was lost; what it is has been said.
func (w *output) finish(interrupted bool) error {
	for _, f := range w.files {
		if err := f.Close(); err != nil {
			w.fail(err)
		}
	}
	r := reportOptions(w.o, w.e)
	var figures []report.Figure
	if w.o.out != "" && len(w.recs) > 0 {
		if !interrupted && w.o.plots != "none" {
			figures = w.plots()
		}
		w.write("summary.md", report.Options{Format: report.Markdown, Metric: r.Metric, Rows: -1})
		w.write("report.html", report.Options{Format: report.HTML, Metric: r.Metric, Figures: figures})
	}
	if !slices.Contains([]string{"csv", "jsonl", "bench"}, w.o.format) {
		if r.Format == report.HTML {
			r.Figures = figures
		}
		if err := report.Summary(w.e.stdout, w.recs, r); err != nil {
			w.fail(fmt.Errorf("writing the table: %w", err))
		}
	}
	if len(w.errs) > 0 {
		return errors.New("some output was lost, see above")
	}
	return nil
}

// write makes one file of the output folder, whole or not at all.
func (w *output) write(name string, o report.Options) {
	path := filepath.Join(w.o.out, name)
	f, err := os.CreateTemp(w.o.out, "."+name+"-*")
	if err != nil {
		w.fail(err)
		return
	}
	err = report.Summary(f, w.recs, o)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		w.fail(fmt.Errorf("writing %s: %w", path, err))
	}
}

// plots draws the figures over the whole set and the arena maps, and returns
// the former.
func (w *output) plots() []report.Figure {
	dir := filepath.Join(w.o.out, plotsName)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		w.fail(err)
		return nil
	}
	save := func(base string, f report.Figure) {
		if _, err := report.Save(dir, base, f); err != nil {
			w.fail(err)
		}
	}
	var figures []report.Figure
	for _, fig := range []struct {
		base string
		draw func([]bench.Record) report.Figure
	}{
		{"overhead", report.Bars},
		{"pareto", report.Pareto},
		{"profile", report.Profile},
	} {
		f := fig.draw(w.recs)
		figures = append(figures, f)
		save(fig.base, f)
	}
	if f, ok := w.convergence(save); ok {
		figures = append(figures, f)
	}
	w.live.draw(save)
	for _, c := range w.maps.pick() {
		save(mapName(c), report.ArenaMap(c.Record, c.Table, c.Plan))
	}
	return figures
}

// autoConvergence is how many models get a plot of convergence of their own
// unless all are asked for: as many as there are in the one for all.
const autoConvergence = 12

// convergence draws how searches closed in on their arenas, if any told: one
// figure for all models, which it returns, and larger ones of single models.
func (w *output) convergence(save func(string, report.Figure)) (report.Figure, bool) {
	units := report.Searches(w.recs)
	if len(units) == 0 {
		return report.Figure{}, false
	}
	by := report.Effort(w.o.effort)
	f := report.Convergence(w.recs, by)
	save("convergence", f)
	if len(units) == 1 {
		return f, true
	}
	if w.o.plots == "auto" { // those where a search improved on its first plan
		if i := slices.IndexFunc(units, settled); i >= 0 {
			units = units[:i]
		}
		units = units[:min(len(units), autoConvergence)]
	}
	for _, unit := range units {
		named := bench.Cell{Record: unit[0]}
		named.Strategy = "convergence"
		save(mapName(&named), report.Convergence(unit, by))
	}
	return f, true
}

// settled reports whether no search improved on its first plan.
func settled(unit []bench.Record) bool {
	return !slices.ContainsFunc(unit, func(r bench.Record) bool { return len(r.Convergence) > 1 })
}
