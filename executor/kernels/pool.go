package kernels

import (
	"runtime"
	"sync"
)

// Task is work that can be cut into ranges, such as rows of an output.
type Task interface {
	// Range does the work of the rows from low to high, which no other call
	// touches.
	Range(low, high int)
}

// Pool runs tasks on several goroutines. The results are the same whatever the
// number is. Close ends the goroutines; a pool is used by one kernel at a time.
type Pool struct {
	workers int
	jobs    chan job
	done    sync.WaitGroup

	mu    sync.Mutex
	panic any // of a task that runs
}

type job struct {
	task      Task
	low, high int
}

// NewPool returns a pool of the given size, 0 meaning GOMAXPROCS. A pool of one
// has no goroutines and needs no Close.
func NewPool(workers int) *Pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &Pool{workers: workers}
	if workers > 1 {
		p.jobs = make(chan job)
		for range workers - 1 {
			go func() {
				for j := range p.jobs {
					p.run(j)
					p.done.Done()
				}
			}()
		}
	}
	return p
}

// Close ends the pool's goroutines.
func (p *Pool) Close() {
	if p.jobs != nil {
		close(p.jobs)
	}
}

// run does a part of a task. A panic is kept for Do.
func (p *Pool) run(j job) {
	defer func() {
		if v := recover(); v != nil {
			p.mu.Lock()
			p.panic = v
			p.mu.Unlock()
		}
	}()
	j.task.Range(j.low, j.high)
}

// Do runs a task of rows, each of so much work (in operations, roughly) that
// small tasks are not worth sharing. It panics if a part of the task does, when
// all parts have ended.
func (p *Pool) Do(task Task, rows, work int) {
	parts := min(p.workers, rows)
	if most := rows * max(work, 1) / grain; parts > most {
		parts = max(most, 1)
	}
	if parts <= 1 {
		task.Range(0, rows)
		return
	}
	p.done.Add(parts - 1)
	for k := 1; k < parts; k++ {
		p.jobs <- job{task, rows * k / parts, rows * (k + 1) / parts}
	}
	p.run(job{task, 0, rows / parts})
	p.done.Wait()
	if v := p.panic; v != nil {
		p.panic = nil
		panic(v)
	}
}

// grain is the least work that is worth a goroutine.
const grain = 1 << 15
