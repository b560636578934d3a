package bench

import "github.com/arenalab/arenalab/datasets"

// open lists the units of an input and counts their cells.
func (r *runner) open(in datasets.Input) []job {
	jobs := r.cfg.jobs(in)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	r.known += len(jobs) * len(r.cfg.Strategies)
	// Guess that the files to come are models of one subgraph.
	guess := max(r.cfg.Inputs-r.opened, 0) * len(r.cfg.Orders) * len(r.cfg.Profiles) * len(r.cfg.Strategies)
	r.progress.Total = r.known + guess
	return jobs
}

// began and ended tell the caller about a cell. Cells that will never run, for
// example of a file that could not be read, end without having begun.
func (r *runner) began(rec *Record, strategy string) {
	r.report(func(p *Progress) {
		p.Model, p.Profile, p.Order, p.Strategy = rec.Model, rec.Profile, rec.Order, strategy
	})
}

func (r *runner) ended(cells int) {
	r.report(func(p *Progress) {
		p.Done += cells
		p.Strategy = ""
	})
}

func (r *runner) report(change func(*Progress)) {
	if r.cfg.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.progress)
	r.cfg.Progress(r.progress)
}
