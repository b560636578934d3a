//go:build unix

package exact

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arenalab/arenalab/lifetime"
)

// peerRuns is the number of runs that medians are taken of.
const peerRuns = 5

// TestMiniMalloc fits the tables whose names state a capacity, in both
// directions of time, with this search and with the program of MiniMalloc that
// ARENALAB_MINIMALLOC names, side by side, and logs CPU seconds. It fails where
// this search is slower.
func TestMiniMalloc(t *testing.T) {
	program := os.Getenv("ARENALAB_MINIMALLOC")
	if program == "" {
		t.Skip("ARENALAB_MINIMALLOC is not set: nothing to compare with")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| table | buffers | exact, s | MiniMalloc, s | ratio | mirrored: exact, s | MiniMalloc, s | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	var sums [4]float64
	for _, table := range tables(t, challenging) {
		fmt.Fprintf(&out, "| %s | %d |", table.Name, len(table.Buffers))
		for k, table := range []*lifetime.Table{table, mirrored(table)} {
			ours, theirs := race(t, program, shift(table))
			fmt.Fprintf(&out, " %.4f | %.3f | %.0f |", ours, theirs, theirs/ours)
			sums[2*k] += ours
			sums[2*k+1] += theirs
			if ours > theirs {
				t.Errorf("%s: %.4f s, MiniMalloc %.4f s", table.Name, ours, theirs)
			}
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "| sum | | %.3f | %.3f | %.0f | %.3f | %.3f | %.0f |\n", sums[0], sums[1], sums[1]/sums[0], sums[2], sums[3], sums[3]/sums[2])
	t.Log("\n" + out.String())
}

// shift moves the table to times from 0 on, which is what the peer takes.
func shift(t *lifetime.Table) *lifetime.Table {
	out := &lifetime.Table{Name: t.Name, Buffers: slices.Clone(t.Buffers)}
	lower, _ := t.Span()
	for i := range out.Buffers {
		out.Buffers[i].Lower -= lower
		out.Buffers[i].Upper -= lower
	}
	return out
}

// race returns medians of CPU seconds of both, run in turns.
func race(t *testing.T, program string, table *lifetime.Table) (ours, theirs float64) {
	file := filepath.Join(t.TempDir(), "table.csv")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "id,lower,upper,size")
	for i, b := range table.Buffers {
		fmt.Fprintf(f, "%d,%d,%d,%d\n", i, b.Lower, b.Upper, b.Size)
	}
	f.Close()
	var a, b []float64
	for range peerRuns {
		before := cpu()
		got, status, err := Feasible(context.Background(), table, capacityOf(table), Options{Seed: 1})
		a = append(a, cpu()-before)
		if err != nil || status != lifetime.Feasible || lifetime.Check(table, got.Plan) != nil {
			t.Fatalf("%s: %v, %v", table.Name, status, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cmd := exec.CommandContext(ctx, program, "--input="+file, "--output="+file+".out", "--capacity="+strconv.FormatInt(capacityOf(table), 10))
		err = cmd.Run()
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		b = append(b, cmd.ProcessState.UserTime().Seconds()+cmd.ProcessState.SystemTime().Seconds())
		if b[len(b)-1] > 10 {
			break // once is enough to see
		}
	}
	return median(a), median(b)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// cpu returns the CPU seconds of this process.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
