package strategies

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

// data returns the files of ARENALAB_DATA that match the glob.
func data(t testing.TB, glob string) []string {
	root := os.Getenv("ARENALAB_DATA")
	if root == "" {
		t.Skip("ARENALAB_DATA is not set: no real tables and recordings to compare with")
	}
	files, err := filepath.Glob(filepath.Join(root, glob))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing matches %s (%v)", glob, err)
	}
	return files
}

// The tflm strategy gives the offsets that TensorFlow Lite for Microcontrollers
// gave, buffer by buffer.
func TestGoldenRequests(t *testing.T) {
	runs, buffers := 0, 0
	for _, file := range data(t, "golden/*.json") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct{ Requests [][4]int64 }
		if err := json.Unmarshal(text, &golden); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(golden.Requests) == 0 {
			continue // the runtime refused the model
		}
		table := &lifetime.Table{}
		var want []int64
		for i, r := range golden.Requests {
			table.Buffers = append(table.Buffers, lifetime.Buffer{
				Name: fmt.Sprint("request", i), Size: r[0], Align: 16, Lower: r[1], Upper: r[2] + 1,
			})
			want = append(want, r[3])
		}
		plan, err := tflm{}.Plan(t.Context(), table, Options{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if !slices.Equal(plan.Offsets, want) {
			t.Errorf("%s: offsets %v, recorded %v", filepath.Base(file), plan.Offsets, want)
		}
		runs++
		buffers += len(want)
	}
	t.Logf("%d recordings, %d buffers", runs, buffers)
	if runs == 0 {
		t.Error("no recording holds requests")
	}
}

func readTable(t testing.TB, file string) *lifetime.Table {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	name := strings.TrimSuffix(filepath.Base(file), ".csv")
	table, err := lifetime.ReadCSV(f, lifetime.CSVOptions{Name: name})
	if table == nil {
		t.Fatal(err)
	}
	return table // a few are not valid; their faults are for the reader's tests
}

// peer is a row of peers/arena_sizes.tsv.
type peer struct {
	table, algorithm string
	align, arena     int64
	hash             uint64
}

func peers(t testing.TB) []peer {
	f, err := os.Open(data(t, "peers/arena_sizes.tsv")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []peer
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		w := strings.Split(lines.Text(), "\t")
		if w[0] == "table" {
			continue
		}
		p := peer{table: w[0], algorithm: w[1]}
		var errs [3]error
		p.align, errs[0] = strconv.ParseInt(w[2], 10, 64)
		p.arena, errs[1] = strconv.ParseInt(w[4], 10, 64)
		p.hash, errs[2] = strconv.ParseUint(w[5], 16, 64)
		if errs != [3]error{} {
			t.Fatalf("row %q: %v", lines.Text(), errs)
		}
		out = append(out, p)
	}
	return out
}

func hash(offsets []int64) uint64 {
	h := fnv.New64a()
	for _, o := range offsets {
		binary.Write(h, binary.LittleEndian, o)
	}
	return h.Sum64()
}

// The planners of the real runtimes, run on the same tables, take as much
// memory and put every buffer at the same offset. Where LiteRT's own keys leave
// ties, its offsets depend on the C++ library it was built with: there they are
// equal by the tie rule libstdc++.
func TestPeers(t *testing.T) {
	tables := map[string]*lifetime.Table{}
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		tables[table.Name] = table
	}
	rows, equal, tied := 0, 0, 0
	for _, p := range peers(t) {
		var s Strategy
		switch p.algorithm {
		case "tflm":
			s = tflm{}
		case "arena":
			s = litert{}
		default:
			continue // the GPU delegate's
		}
		table := tables[p.table]
		if table == nil {
			t.Fatalf("no table %q", p.table)
		}
		rows++
		same := map[TieRule]bool{}
		for _, rule := range []TieRule{TiesNative, TiesLibstdcxx} {
			plan, err := s.Plan(t.Context(), table, Options{Align: p.align, Ties: Ties{Rule: rule}})
			if err != nil {
				t.Fatal(err)
			}
			same[rule] = hash(plan.Offsets) == p.hash
			if arena := peerArena(table, plan, p); rule == TiesNative && arena != p.arena {
				t.Errorf("%s by %s, alignment %d: %d bytes, peer %d", p.table, p.algorithm, p.align, arena, p.arena)
			}
		}
		switch {
		case p.algorithm == "tflm" && !same[TiesNative], p.algorithm == "arena" && !same[TiesLibstdcxx]:
			t.Errorf("%s by %s, alignment %d: offsets differ", p.table, p.algorithm, p.align)
		case same[TiesNative]:
			equal++
		default:
			tied++
		}
	}
	t.Logf("%d rows, all sizes equal: %d with equal offsets, %d of LiteRT equal up to ties", rows, equal, tied)
	if equal == 0 || tied == 0 {
		t.Error("a kind of row is missing")
	}
}

// peerArena returns the arena as the peer counts it: the microcontroller's
// planner was given rounded sizes.
func peerArena(table *lifetime.Table, plan *lifetime.Plan, p peer) int64 {
	if p.algorithm != "tflm" {
		return plan.Arena
	}
	arena := int64(0)
	for i, o := range plan.Offsets {
		arena = max(arena, o+lifetime.AlignUp(table.Buffers[i].Size, p.align))
	}
	return arena
}

// On real tables as on random ones, every structure gives the same offsets.
func TestStructuresOnTables(t *testing.T) {
	tables := 0
	for _, file := range data(t, "tables/*.csv") {
		table := readTable(t, file)
		if table.Validate() != nil || len(table.Buffers) > 20000 {
			continue
		}
		tables++
		t.Run(table.Name, func(t *testing.T) {
			t.Parallel()
			for _, m := range methods {
				checkMethod(t, &m, table, Options{}, perBucket)
			}
		})
	}
	if tables == 0 {
		t.Error("no table is small enough")
	}
}
