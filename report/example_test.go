package report_test

import (
	"fmt"
	"os"

	"github.com/arenalab/arenalab/bench"
	"github.com/arenalab/arenalab/lifetime"
	"github.com/arenalab/arenalab/report"
)

func ExampleSummary() {
	record := func(model, strategy string, bound, arena int64) bench.Record {
		return bench.Record{
			Model: model, Source: "model", Profile: "litert", Order: "stored", Strategy: strategy,
			Buffers: 12, ArenaBytes: arena, LowerBoundBytes: bound, Validated: "symbolic",
			PlanNS: 41_000, PlanReps: 10,
		}
	}
	recs := []bench.Record{
		record("kws", "naive", 22400, 61104),
		record("kws", "greedy-size", 22400, 22400),
		record("nasnet", "naive", 122880, 2433024),
		record("nasnet", "greedy-size", 122880, 139264),
	}
	if err := report.Summary(os.Stdout, recs, report.Options{Plain: true, Width: 80}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 models x 2 strategies, profile litert, stored order  4 plans, 4 safe
	//
	// gap to the proven bound (optimal meets it, open best known, not proven; xn from
	//   2x on)
	//   model                 bufs     bound  naive  greedy-size
	//   kws                     12  21.9 KiB  x2.73      optimal
	//   nasnet                  12   120 KiB  x19.8  +13.3% open
	//   --------------------------------------------------------
	//   geomean over bound                    x7.35        +6.5%
	//   worst                                 x19.8       +13.3%
	//   meets the bound                           0            1
	//   best (alone)                          0 (0)        2 (2)
	//   plan time, median(1)                   41us         41us
	// (1) a cell's time is the median of 10 runs
	//
	// best known: greedy-size on 2 of 2 (alone on 2), 1 of 2 proven optimal; nothing
	//   smaller than greedy-size was found
}

func ExampleSave() {
	t := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "input", Size: 400, Lower: 0, Upper: 2},
		{Name: "conv", Size: 600, Lower: 1, Upper: 3},
		{Name: "output", Size: 100, Lower: 2, Upper: 4},
	}}
	p := lifetime.NewPlan(t, []int64{0, 400, 0})
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f := report.ArenaMap(bench.Record{Model: "kws", Strategy: "first-fit"}, t, p)
	paths, err := report.Save(dir, "kws", f)
	fmt.Println(len(paths), err)
	fmt.Println(f.Caption)
	// Output:
	// 2 <nil>
	// Arena map of kws, first-fit: arena 1,000 B = proven bound: optimal, 3 buffers
}

func ExampleLive() {
	f := report.Live([]report.LiveCurve{
		{Label: "stored", Bytes: []int64{300, 700, 900, 400}},
		{Label: "greedy-bytes", Bytes: []int64{300, 600, 500, 400}},
	}, 600, "kws")
	fmt.Println(f.Caption)
	// Output:
	// kws: peak 900 B in the stored order, 600 B in the greedy-bytes order (−33.3%); no order needs less. stored peaks with 900 B at step 2; greedy-bytes peaks with 600 B at step 1.
}
