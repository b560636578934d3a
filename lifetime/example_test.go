package lifetime_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/arenalab/arenalab/lifetime"
)

func ExampleReadCSV() {
	const text = `id,lower,upper,size
b1,0,3,4
b2,3,9,4
b3,0,9,4
b4,9,21,4
b5,0,21,4
`
	t, err := lifetime.ReadCSV(strings.NewReader(text), lifetime.CSVOptions{Name: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(t.Buffers), "buffers of", t.Naive(), "bytes, at most", t.Load(), "live at once")

	p := lifetime.NewPlan(t, []int64{8, 8, 4, 4, 0})
	fmt.Println("arena of", p.Arena, "bytes, fault:", lifetime.Check(t, p))
	// Output:
	// 5 buffers of 20 bytes, at most 12 live at once
	// arena of 12 bytes, fault: <nil>
}

// Every fault is reported with its line.
func ExampleReadCSV_faults() {
	const text = `id,start,end,size
a,0,4,16
b,5,4,sixteen
c,6,4,16
`
	_, err := lifetime.ReadCSV(strings.NewReader(text), lifetime.CSVOptions{Name: "x.csv"})
	fmt.Println(err)
	// Output:
	// x.csv: line 3: buffer "b": size "sixteen" is not a whole number
	// x.csv: line 4: buffer "c": empty life [6, 5)
}

// A gap frees the bytes of a buffer for a part of its life, here for another
// buffer; a window of the gap would keep some.
func ExampleCheck() {
	t := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "state", Size: 64, Lower: 0, Upper: 9, Gaps: []lifetime.Gap{{Lower: 3, Upper: 6}}},
		{Name: "scratch", Size: 64, Lower: 3, Upper: 7},
	}}
	fmt.Println(lifetime.Check(t, lifetime.NewPlan(t, []int64{0, 0})))
	t.Buffers[1].Upper = 6
	fmt.Println(lifetime.Check(t, lifetime.NewPlan(t, []int64{0, 0})))
	// Output:
	// buffers 1 "scratch" and 0 "state" share bytes [0, 64) at step 6
	// <nil>
}

func ExampleWriteCSV() {
	t := &lifetime.Table{Buffers: []lifetime.Buffer{
		{Name: "x", Size: 8, Lower: 0, Upper: 2},
		{Name: "y", Size: 8, Lower: 1, Upper: 3},
	}}
	if err := lifetime.WriteCSV(os.Stdout, t, lifetime.NewPlan(t, []int64{0, 8})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// id,lower,upper,size,offset
	// x,0,2,8,0
	// y,1,3,8,8
}
