package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// PanicError is the error of code that panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// errAbandoned is the error of code that ran on after its context had ended
// and the grace was over. Its goroutine still runs.
var errAbandoned = errors.New("ignored the end of its time and was abandoned")

// protect turns a panic of f into an error.
func protect[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

type outcome[T any] struct {
	result T
	err    error
}

// guard runs foreign code in a goroutine of its own, so that it can neither
// panic nor hang the run. The context ends after the timeout of r, if it has
// one. Code that does not return within the grace after that is abandoned.
func guard[T any](ctx context.Context, r *runner, f func(context.Context) (T, error)) (T, error) {
	cancel := func() {}
	if r.cfg.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, r.cfg.Timeout)
	}
	defer cancel()

	done := make(chan outcome[T], 1)
	go func() {
		o := outcome[T]{err: errors.New("ended its goroutine")}
		defer func() { done <- o }()
		o.result, o.err = protect(func() (T, error) { return f(ctx) })
	}()

	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(r.cfg.Grace)
	defer grace.Stop()
	select {
	case o := <-done:
		return o.result, o.err
	case <-grace.C:
	}
	r.stray.Add(1)
	go func() {
		<-done
		r.stray.Add(-1)
	}()
	var zero T
	return zero, errAbandoned
}
