// Command compare plans the tensor arenas of models and lifetime tables with
// every strategy, proves each plan safe, and reports how far each is from the
// proven lower bound. Run "compare -h" for the flags.
package main

import (
	"context"
	"os"

	"github.com/arenalab/arenalab/cmd/compare/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
