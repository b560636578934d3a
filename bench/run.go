package bench

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/arenalab/arenalab/datasets"
)

// Run plans every unit of the inputs with every strategy and yields the cells:
// by input, subgraph, order, profile and strategy, each as the configuration
// and the file list them, whatever the number of workers. The cells of a unit
// come together, once all its strategies have run.
//
// Nothing that a file, a reorderer or a strategy does ends the run: the cell
// says what went wrong. A file that could not be read, and a unit whose order or
// lifetimes could not be computed, is one cell without a strategy. Subgraphs
// other than the first with nothing to plan are left out; the first is planned
// by all even if it is empty.
//
// When ctx ends, what was finished is yielded, and the error is that of ctx. An
// error of yield ends the run and is returned.
func Run(ctx context.Context, cfg Config, inputs iter.Seq[datasets.Input], yield func(*Cell) error) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	r := &runner{cfg: cfg, host: ThisHost()}
	if cfg.Workers == 1 {
		return r.serial(ctx, inputs, yield)
	}
	return r.parallel(ctx, inputs, yield)
}

type runner struct {
	cfg   Config
	host  Host
	stray atomic.Int64 // abandoned goroutines that still run

	memory sync.Pool // of *executor.Memory, one a worker

	mu       sync.Mutex // guards the following, and calls of cfg.Progress
	progress Progress
	opened   int // inputs
	known    int // cells of the inputs opened
}

// serial does one thing at a time, reading included, so that nothing disturbs
// the measurement.
func (r *runner) serial(ctx context.Context, inputs iter.Seq[datasets.Input], yield func(*Cell) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for in := range inputs {
		for _, j := range r.open(in) {
			for _, c := range r.run(ctx, j) {
				if err := yield(c); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pending is a job under way, in the order of the report.
type pending struct {
	job
	cells chan []*Cell // receives once
}

// parallel lets a few units run ahead of the one to be yielded next.
func (r *runner) parallel(ctx context.Context, inputs iter.Seq[datasets.Input], yield func(*Cell) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan *pending, 4*r.cfg.Workers)
	work := make(chan *pending)

	var workers sync.WaitGroup
	for range r.cfg.Workers {
		workers.Go(func() {
			for p := range work {
				p.cells <- r.run(inner, p.job)
			}
		})
	}
	go func() {
		defer close(queue)
		defer close(work)
		for in := range inputs {
			for _, j := range r.open(in) {
				p := &pending{j, make(chan []*Cell, 1)}
				select {
				case queue <- p:
				case <-inner.Done():
					return
				}
				work <- p
			}
		}
	}()

	var failed error
	for p := range queue {
		for _, c := range <-p.cells {
			if failed != nil {
				break
			}
			if failed = yield(c); failed != nil {
				cancel()
			}
		}
	}
	workers.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// run works on one unit. Cells that ctx interrupts are left out.
func (r *runner) run(ctx context.Context, j job) []*Cell {
	if ctx.Err() != nil {
		return nil
	}
	u, err := protect(func() (*unit, error) { return r.prepare(ctx, j) })
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c := &Cell{Record: r.record(&j), Model: j.in.Model, Subgraph: j.sub}
		if u != nil {
			c.Warnings = u.base.Warnings
		}
		c.fail(err)
		r.ended(len(r.cfg.Strategies))
		return []*Cell{c}
	}
	if u == nil {
		r.ended(len(r.cfg.Strategies))
		return nil
	}
	var cells []*Cell
	for _, s := range r.cfg.Strategies {
		r.began(&u.base, s.Info().Name)
		if c := r.cell(ctx, u, s); c != nil {
			cells = append(cells, c)
		}
		if ctx.Err() != nil {
			break
		}
		r.ended(1)
	}
	for _, c := range cells {
		c.finish(u)
	}
	return cells
}
