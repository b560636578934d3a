package cli

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/datasets"
	"github.com/arenalab/arenalab/graph"
	"github.com/arenalab/arenalab/strategies"
)

// help prints one topic. What it says of strategies, orders, profiles and
// networks is their own description.
func help(w io.Writer, args []string) error {
	topics := map[string]func(io.Writer){
		"strategies": helpStrategies,
		"orders":     helpOrders,
		"profiles":   helpProfiles,
		"formats":    helpFormats,
		"exit-codes": helpExitCodes,
		"zoo":        helpZoo,
	}
	const known = "strategies, orders, profiles, formats, exit-codes, zoo"
	if len(args) != 1 {
		return usageError("help takes one topic: %s", known)
	}
	topic, ok := topics[args[0]]
	if !ok {
		return usageError("no help on %q; topics: %s", args[0], known)
	}
	topic(w)
	return nil
}

// entry prints a name with what there is to say of it, empty facts left out.
func entry(w io.Writer, name, summary string, facts ...string) {
	fmt.Fprintf(w, "%s\n    %s\n", name, summary)
	for i := 0; i+1 < len(facts); i += 2 {
		if facts[i+1] != "" {
			fmt.Fprintf(w, "    %s: %s\n", facts[i], facts[i+1])
		}
	}
}

func helpStrategies(w io.Writer) {
	for _, s := range strategies.All() {
		i := s.Info()
		order := ""
		if i.RowOrder {
			order = "their order matters, as it does to the runtime"
		}
		entry(w, i.Name, i.Summary, "key", i.Key, "complexity", i.Complexity, "guarantee", i.Guarantee,
			"rows", order, "reference", i.Reference)
	}
}

func helpOrders(w io.Writer) {
	for _, r := range bench.Orders() {
		i := r.Info()
		entry(w, i.Name, i.Summary, "complexity", i.Complexity, "guarantee", i.Guarantee, "reference", i.Reference)
	}
}

func helpProfiles(w io.Writer) {
	for _, p := range graph.Profiles() {
		entry(w, p.Name, p.Summary, "source", p.Source)
	}
	fmt.Fprint(w, `
A profile of your own is a JSON file, given to -profile by its name:

    {"name": "mine", "align": 32, "round_sizes": 1, "keep_inputs": true,
     "keep_unread": false, "entry_step": false, "exit_step": false, "variables": false}
`)
}

func helpFormats(w io.Writer) {
	entry(w, "table", "the summary for people, up to -width columns")
	entry(w, "markdown, latex, html", "the same for a pull request, a paper, a page")
	entry(w, "csv, jsonl", "one record a plan; the columns are the fields of a record")
	entry(w, "bench", "Go benchmark format, for benchstat")
}

func helpExitCodes(w io.Writer) {
	fmt.Fprintf(w, "%3d  every file planned, every plan safe\n", ExitOK)
	fmt.Fprintf(w, "%3d  a file could not be read, a plan failed or is unsafe, or output was lost\n", ExitFailed)
	fmt.Fprintf(w, "%3d  the command line is wrong\n", ExitUsage)
	fmt.Fprintf(w, "%3d  interrupted; the records done until then are written\n", ExitInterrupted)
}

func helpZoo(w io.Writer) {
	for _, b := range datasets.Zoo() {
		entry(w, b.Name, b.Summary, "reference", b.Reference)
	}
}

// toolVersion is the version recorded in results: that of the module, or of
// the source revision it was built from.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision[:min(12, len(revision))] + dirty
}

// version prints the tool's version and those of the modules it is built of.
func version(w io.Writer) error {
	info, ok := debug.ReadBuildInfo()
	fmt.Fprintf(w, "compare %s", toolVersion())
	if !ok {
		fmt.Fprintln(w)
		return nil
	}
	fmt.Fprintf(w, ", %s\n", info.GoVersion)
	for _, m := range info.Deps {
		fmt.Fprintf(w, "  %s\n", strings.Join([]string{m.Path, m.Version}, " "))
	}
	return nil
}
