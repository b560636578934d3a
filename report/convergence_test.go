package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"github.com/arenalab/arenalab/bench"
)

// search returns the record of a search that improved as told: decisions,
// arena, lower bound, …; a decision takes a microsecond.
func search(model, strategy string, bound int64, told ...int64) bench.Record {
	rec := cell(model, strategy, 40, bound, told[len(told)-2], 0)
	for i := 0; i < len(told); i += 3 {
		rec.Convergence = append(rec.Convergence, bench.Improvement{
			Decisions: told[i], NS: told[i] * 1000, ArenaBytes: told[i+1], LowerBoundBytes: told[i+2]})
	}
	rec.PlanNS = float64(told[len(told)-3]) * 2000
	return rec
}

// searches is a run of five searches and four others over two models.
func searches() []bench.Record {
	return []bench.Record{
		search("hard", "exact", 1000, 100, 1300, 980, 4000, 1200, 990, 90_000, 1040, 1040),
		search("hard", "anytime", 1000, 100, 1300, 980, 60_000, 1040, 1000),
		search("hard", "ejection", 1000, 0, 1400, 1000, 5000, 1144, 1000),
		search("hard", "skyline-best", 1000, 100, 1300, 1000, 200, 1248, 1000),
		search("hard", "skyline-beam", 1000, 100, 1300, 1000, 200, 1248, 1000),
		cell("hard", "litert", 40, 1000, 1196, 90_000),
		cell("hard", "tflm", 40, 1000, 1196, 80_000),
		cell("hard", "first-fit", 40, 1000, 1600, 20_000),
		cell("hard", "naive", 40, 1000, 99_000, 2000),
		search("easy", "exact", 500, 10, 500, 500),
		cell("easy", "naive", 9, 500, 700, 1000),
	}
}

// TestContest checks what is drawn against the records by hand.
func TestContest(t *testing.T) {
	all := contests(searches(), ByDecisions)
	if len(all) != 2 || all[0].name != "hard" || all[1].name != "easy" {
		t.Fatalf("%d contests, want hard and easy", len(all))
	}
	c := all[0]
	if c.base != 1040 || c.checked {
		t.Errorf("base %d, checked %t: exact states 1040 and has a plan of it", c.base, c.checked)
	}
	var got []string
	for _, tr := range c.traces {
		got = append(got, tr.says(ByDecisions))
	}
	want := "anytime at the bound after 60,000 decisions; exact at the bound after 90,000 decisions; " +
		"ejection +10.0% above it after 5,000 decisions; skyline-beam, skyline-best +20.0% above it after 200 decisions"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("it says\n%s, want\n%s", s, want)
	}
	if n := len(c.passes); n != 4 || c.above() != 2 {
		t.Errorf("%d others, %d above the axis, want 4 and 2", n, c.above())
	}
	if low := c.lowest(); math.Abs(low-(980./1040-1)) > 1e-12 {
		t.Errorf("lowest bound at %v", low)
	}
	if x := c.traces[2].steps[0].x; x != 1 {
		t.Errorf("a plan before any decision is drawn at %v, want 1: the axis is logarithmic", x)
	}
	timed := contests(searches(), ByTime)[0]
	for _, tr := range timed.traces {
		if strings.Join(tr.names, "") == "exact" && (tr.last() != 9e7 || tr.end != 1.8e8) {
			t.Errorf("exact: last improvement at %v ns, end at %v, want 9e7 and 1.8e8", tr.last(), tr.end)
		}
	}
	if front := passFront(timed.passes, ByTime); len(front) != 3 || front[2].strategy != "tflm" {
		t.Errorf("named others: %v, want naive, first-fit, tflm", front)
	}
}

func TestSearches(t *testing.T) {
	recs := searches()
	for i := range recs {
		recs[i].Hash = recs[i].Model
	}
	twin := search("same as hard", "exact", 1000, 1, 1200, 1000)
	twin.Hash = "hard"
	var got []string
	for _, unit := range Searches(append(recs, twin, cell("plain", "naive", 9, 5, 7, 10))) {
		got = append(got, fmt.Sprint(unit[0].Model, " ", len(unit)))
	}
	if s := strings.Join(got, ", "); s != "hard 9, easy 2" {
		t.Errorf("units %s, want hard with its 9 records, then easy with 2", s)
	}
}

func TestConvergenceSays(t *testing.T) {
	one := Convergence(Searches(searches())[0], ByTime)
	many := Convergence(searches(), ByDecisions)
	for _, tt := range []struct {
		fig  Figure
		want []string
	}{
		{one, []string{"exact (=)", "ejection (+10.0%)", "skyline-beam (+20.0%)", "skyline-best, the same", "bound of a search", "best lower bound",
			"tflm", "−1%", "100 µs", "2 of 4 other strategies above the axis", "best lower bound 1,040 B, as a search states it"}},
		{Convergence(append(inOrder(searches()[:3], "depth-first", 90), searches()...), ByTime), []string{">hard (litert, stored)<",
			">hard (litert, depth-first)<", "2 of 3 cases; on 1 no", "time since the start"}},
		{many, []string{": hard<", "placements tried (log scale)", "others, at the left", "10k", "1 of 2 cases; on 1 no search improved its first plan"}},
		{Convergence(append(inOrder(searches()[:5], "depth-first", 90), searches()...), ByDecisions), []string{
			"2 of 3 cases; on 1 no", "; 2 points above the axes; 1 bound stated by a search, not checked; marks in a box are one point"}},
	} {
		var svg bytes.Buffer
		if err := tt.fig.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(svg.String(), want) {
				t.Errorf("%s: no %q", tt.fig.Title, want)
			}
		}
	}
	if odd := Convergence(searches(), "nonsense"); odd.Caption != Convergence(searches(), ByTime).Caption {
		t.Errorf("an unknown effort is not taken for time: %s", odd.Caption)
	}
	if none := Convergence(sevenBySix(), ByTime); !strings.Contains(none.Caption, "no search told") {
		t.Errorf("without searches: %s", none.Caption)
	}
}

func TestConvergenceOfAnything(t *testing.T) {
	odd, crowd, timeless, failing := searches(), searches()[:1], searches(), searches()
	for i := range odd {
		odd[i].Model, odd[i].Strategy = "m"+hostile[i%2], hostile[i%len(hostile)]+fmt.Sprint(i)
		for k := range odd[i].Convergence {
			odd[i].Convergence[k] = bench.Improvement{Decisions: -5, NS: math.MaxInt64 / int64(k+1),
				ArenaBytes: int64(k) * math.MaxInt64 / 8, LowerBoundBytes: math.MaxInt64 * int64(k%2)}
		}
	}
	for i := range 14 {
		crowd = append(crowd, search("hard", fmt.Sprint("s", i), 1000, 10, 2000, 0, 100+int64(i), 1500-int64(i), 900))
	}
	for i := range timeless {
		timeless[i].PlanNS = []float64{math.NaN(), 0, math.Inf(1), -1}[i%4]
		failing[i].Validated = ""
	}
	long := search("long", "exact", 1000, 1, 900_000, 0)
	for i := range 5000 {
		long.Convergence = append(long.Convergence, bench.Improvement{Decisions: int64(i), NS: int64(i),
			ArenaBytes: 900_000 - int64(i)*100, LowerBoundBytes: int64(i) / 5})
	}
	var many []bench.Record
	for i := range 40 {
		many = append(many, search(fmt.Sprint("model ", i), "exact", 1000, 5, 1500, 900, 50+int64(i), 1200, 1000))
	}
	zero := search("zero", "exact", 0, 5, 0, 0)
	for name, recs := range map[string][]bench.Record{
		"none": nil, "two": searches(), "odd": odd, "crowd": crowd, "timeless": timeless, "failing": failing,
		"long": {long}, "many": many, "five": many[:5], "zero": {zero}, "orders": append(inOrder(many[:2], "depth-first", 90), many[:2]...),
	} {
		t.Run(name, func(t *testing.T) {
			well(t, Convergence(recs, ByTime))
			well(t, Convergence(recs, ByDecisions))
		})
	}
}

// TestStairsAgreeWithSteps reads a curve back at places between its corners.
func TestStairsAgreeWithSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &trace{}
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			tr.end += float64(rapid.IntRange(2, 9).Draw(t, "wait"))
			v := float64(rapid.IntRange(0, 5).Draw(t, "gap"))
			if len(tr.steps) == 0 && rapid.Bool().Draw(t, "late") {
				v = math.NaN()
			}
			tr.steps = append(tr.steps, traceStep{x: tr.end, upper: v})
		}
		tr.end += 3
		same := func(v float64) vg.Length { return vg.Length(v) }
		points := tr.stairs(same, same, func(s traceStep) float64 { return s.upper })
		at := func(x float64) float64 {
			for i := 0; i+1 < len(points); i += 2 {
				if float64(points[i].X) <= x && x < float64(points[i+1].X) {
					return float64(points[i].Y)
				}
			}
			return math.NaN()
		}
		for x := 0.5; x < tr.end; x++ {
			want := math.NaN()
			for _, s := range tr.steps {
				if s.x <= x {
					want = s.upper
				}
			}
			if got := at(x); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("%v at %v, want %v; points %v", got, x, want, points)
			}
		}
	})
}
