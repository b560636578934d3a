package executor

import "context"

// run is one run in real bytes: the pattern that fills the arena before the
// start, and a salt that changes all keys.
type run struct {
	pattern byte
	salt    uint64
}

// runs are two runs in which no stale byte is the same but by chance.
var runs = [...]run{{0xa5, 0}, {0x5a, 0x6a09e667f3bcc908}}

// poll is how many bytes may be moved between two looks at the context.
const poll = 4 << 20

// exec executes the program in real bytes and returns the first fault, or nil.
// It does not know who wrote the wrong byte.
func (r run) exec(ctx context.Context, p *Program, offsets []int64, mem []byte) (*fault, error) {
	pattern(mem, r.pattern)
	moved := int64(poll)
	for i := range p.steps {
		st := &p.steps[i]
		for k := st.pre; k < st.end; k++ {
			a := &p.accesses[k]
			if a.again {
				continue
			}
			if moved += a.high - a.low; moved >= poll {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				moved = 0
			}
			v := &p.values[a.value]
			key := mix(v.key, r.salt)
			low := offsets[v.buffer] + a.low
			bytes := mem[low : offsets[v.buffer]+a.high]
			if st.write <= k && k < st.post {
				fill(bytes, key, a.low)
			} else if at := match(bytes, key, a.low); at >= 0 {
				return &fault{i, k, low + int64(at), -1}, nil
			}
		}
	}
	return nil, nil
}
