package strategies

import "math/bits"

// mersenne is the generator of Python's random module: MT19937, seeded from an
// array of words. M. Matsumoto and T. Nishimura, "Mersenne twister", ACM
// Transactions on Modeling and Computer Simulation 8(1), 1998,
// doi:10.1145/272991.272995.
type mersenne struct {
	state [624]uint32
	next  int
}

// newMersenne is random.seed of a number that is not negative.
func newMersenne(seed uint64) *mersenne {
	key := []uint32{uint32(seed), uint32(seed >> 32)}
	if key[1] == 0 {
		key = key[:1]
	}
	m := &mersenne{next: 624}
	s := &m.state
	s[0] = 19650218
	for i := 1; i < 624; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	i := 1
	step := func() {
		if i++; i == 624 {
			s[0], i = s[623], 1
		}
	}
	for k := range 624 {
		j := k % len(key)
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		step()
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		step()
	}
	s[0] = 1 << 31
	return m
}

// word returns 32 random bits.
func (m *mersenne) word() uint32 {
	if m.next == 624 {
		m.refill()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) refill() {
	s := &m.state
	for i := range s {
		y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
		v := s[(i+397)%624] ^ y>>1
		if y&1 != 0 {
			v ^= 0x9908b0df
		}
		s[i] = v
	}
	m.next = 0
}

// below is random.randint(0, n-1): as many of the upper bits of a word as n
// has, drawn again until they are below n. It needs 0 < n < 2^32.
func (m *mersenne) below(n int) int {
	shift := 32 - bits.Len(uint(n))
	for {
		if r := int(m.word() >> shift); r < n {
			return r
		}
	}
}
