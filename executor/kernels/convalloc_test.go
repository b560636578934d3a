package kernels

import "testing"

// TestConvAllocates runs recorded layers again and again: from the second time
// on they allocate nothing, with several workers neither.
func TestConvAllocates(t *testing.T) {
	r := readConvRecording(t)
	pools := []*Pool{NewPool(1), NewPool(3)}
	defer pools[1].Close()
	seen := map[string]bool{}
	for _, c := range r.Cases {
		n, in := c.node(t, Reference)
		kind := n.Op.Name() + n.In[c.input()].Type.String() + n.In[1%len(n.In)].Type.String()
		if seen[kind] {
			continue
		}
		seen[kind] = true
		k, err := Prepare(n)
		if err != nil {
			t.Fatal(err)
		}
		size, _ := smallSize(n.Out[0])
		call := &Call{In: in, Out: [][]byte{make([]byte, size, size+8)}}
		for _, call.Pool = range pools {
			run := func() {
				if err := k.Run(call); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if allocs := testing.AllocsPerRun(5, run); allocs != 0 {
				t.Errorf("%s of %v with %v allocates %g times", n.Op.Name(), n.In[c.input()].Type, n.In[1%len(n.In)].Type, allocs)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d kinds of layers", len(seen))
	}
}
