package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress shows one line of how far the run is. On a terminal the line
// rewrites itself once the run has lasted a moment; elsewhere a plain line
// appears now and then, so that logs stay short.
type progress struct {
	w        io.Writer
	terminal bool
	started  time.Time
	last     time.Time
	shown    bool
}

const (
	progressDelay = 500 * time.Millisecond // nothing for runs shorter than this
	terminalPause = 100 * time.Millisecond
	logPause      = 30 * time.Second
)

// newProgress returns nil, which shows nothing, if quiet.
func newProgress(w io.Writer, quiet bool) *progress {
	if quiet {
		return nil
	}
	now := time.Now()
	p := &progress{w: w, started: now, last: now}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// at reports that the named input is under way after done plans.
func (p *progress) at(done int, name string) {
	if p == nil {
		return
	}
	now := time.Now()
	pause := logPause
	if p.terminal {
		pause = terminalPause
		if now.Sub(p.started) < progressDelay {
			return
		}
	}
	if now.Sub(p.last) < pause {
		return
	}
	p.last = now
	if !p.terminal {
		fmt.Fprintf(p.w, "compare: %d plans after %s, at %s\n", done, now.Sub(p.started).Round(time.Second), name)
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%d plans, %s", done, shorten(name, 60))
}

// clear takes the line away before something else is printed.
func (p *progress) clear() {
	if p != nil && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// shorten cuts the middle out of s so that it has at most n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) * 2 / 5
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}
