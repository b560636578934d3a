// Package cli is the compare command as a function, so that a program that
// registers its own strategies can be that command too:
//
//	func main() {
//		strategies.Register(mine{})
//		os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
//	}
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes of the command.
const (
	ExitOK          = 0   // every file planned, every plan safe
	ExitFailed      = 1   // a file could not be read, a cell failed, a plan is unsafe, or output was lost
	ExitUsage       = 2   // the command line is wrong
	ExitInterrupted = 130 // interrupted; what was done is written
)

// errUsage marks mistakes of the command line.
var errUsage = errors.New("usage")

func usageError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}

// env is what the command touches of the outside.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Main runs the command with the given arguments (without the program name)
// and returns its exit code. An interrupt or termination signal ends the run
// after the records that are done have been written.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := env{stdin, stdout, stderr}
	code, err := dispatch(ctx, args, e)
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return ExitOK
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "compare: %v\nRun \"compare -h\" for help.\n", trimUsage(err))
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "compare: interrupted; what was done is written")
		return ExitInterrupted
	}
	fmt.Fprintf(stderr, "compare: %v\n", err)
	return max(code, ExitFailed)
}

// trimUsage returns the error without the word that marks it.
func trimUsage(err error) string {
	s := err.Error()
	if prefix := errUsage.Error() + ": "; len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):]
	}
	return s
}

// dispatch runs the subcommand that the first argument names, or the main job.
func dispatch(ctx context.Context, args []string, e env) (int, error) {
	if len(args) > 0 {
		switch args[0] {
		case "help":
			return ExitOK, help(e.stdout, args[1:])
		case "version":
			return ExitOK, version(e.stdout)
		case "certify":
			return certify(ctx, args[1:], e)
		case "explain":
			return explain(ctx, args[1:], e)
		case "export":
			return ExitOK, export(ctx, args[1:], e)
		case "fit":
			return fit(ctx, args[1:], e)
		case "graded":
			return ExitOK, graded(args[1:], e)
		case "graphs":
			return ExitOK, graphs(args[1:], e)
		case "reorder":
			return reorderModel(ctx, args[1:], e)
		case "runtimes":
			return runtimes(ctx, args[1:], e)
		case "zoo":
			return ExitOK, zoo(args[1:], e)
		}
	}
	return compare(ctx, args, e)
}
