// Package pair runs two functions at a time.
package pair

import "runtime"

// Run runs both functions and returns when both have: side by side if the
// program may use more than one core, else the first and then the second.
func Run(a, b func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		a()
		b()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b()
	}()
	a()
	<-done
}
