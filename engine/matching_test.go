package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hcomm/simd"
)

// TestMatchingAsTheStandardSays compares the matcher with lists that are searched from the front: of the messages of one
// source the first that fits, of the receives the first.
func TestMatchingAsTheStandardSays(t *testing.T) {
	const sources, tags = 3, 3
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := matcher{kept: make([]keptList, sources)}
		var messages []envelope // kept, in the order of arrival
		var posted []*receive
		number := uint64(0) // as the size of each message, so that each is known
		for range 300 {
			if rng.IntN(2) == 0 {
				e := envelope{space: space(rng.IntN(2)), typ: simd.Uint8, source: rng.IntN(sources), tag: int32(rng.IntN(tags)), bytes: number}
				number++
				want := slices.IndexFunc(posted, func(r *receive) bool { return fits(r.pattern, e) })
				got := m.match(&e)
				if (want < 0) != (got == nil) || want >= 0 && got != posted[want] {
					t.Fatalf("seed %d: a message found the wrong receive", seed)
				}
				if got == nil {
					m.keep(packet{envelope: e}, []byte{byte(e.bytes)}, rng.IntN(2) == 0)
					messages = append(messages, e)
				} else {
					posted = slices.Delete(posted, want, want+1)
				}
				continue
			}
			p := pattern{space: space(rng.IntN(2)), source: rng.IntN(sources+1) - 1, tag: int32(rng.IntN(tags))}
			if rng.IntN(3) == 0 {
				p.tag = AnyTag
			}
			want := slices.IndexFunc(messages, func(e envelope) bool { return fits(p, e) })
			if found := m.find(&p); (want < 0) != (found == nil) || want >= 0 && found.envelope != messages[want] {
				t.Fatalf("seed %d: a probe found the wrong message", seed)
			}
			if rng.IntN(4) == 0 {
				continue // it was a probe only
			}
			k := m.take(&p)
			if (want < 0) != (k == nil) || want >= 0 && (k.envelope != messages[want] || k.body[0] != byte(messages[want].bytes)) {
				t.Fatalf("seed %d: a receive found the wrong message", seed)
			}
			if k == nil {
				r := &receive{pattern: p}
				m.posted, posted = append(m.posted, r), append(posted, r)
			} else {
				m.recycle(k)
				messages = slices.Delete(messages, want, want+1)
			}
			if len(posted) > 0 && rng.IntN(10) == 0 {
				i := rng.IntN(len(posted))
				m.withdraw(posted[i])
				posted = slices.Delete(posted, i, i+1)
			}
		}
		if err := whole(&m, len(messages)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// fits says what the wildcards mean, in other words than pattern.matches.
func fits(p pattern, e envelope) bool {
	if p.source == AnySource {
		p.source = e.source
	}
	if p.tag == AnyTag {
		p.tag = e.tag
	}
	return p == pattern{space: e.space, source: e.source, tag: e.tag}
}

// whole checks the lists and their sums.
func whole(m *matcher, want int) error {
	n := 0
	for source, l := range m.kept {
		var size uint64
		var last *kept
		for k := l.first; k != nil; last, k = k, k.next {
			n++
			size += keepSize(len(k.memory))
			if k.source != source || last != nil && last.arrival >= k.arrival {
				return fmt.Errorf("the list of source %d is out of order", source)
			}
		}
		if last != l.last || size != l.size {
			return fmt.Errorf("the list of source %d ends elsewhere, or its size is %d, not %d", source, l.size, size)
		}
	}
	if n != want || n != m.count {
		return fmt.Errorf("%d messages are kept and counted as %d, not %d", n, m.count, want)
	}
	return nil
}

func TestMemoryOfKeptMessagesIsUsedAgain(t *testing.T) {
	m := matcher{kept: make([]keptList, 1)}
	body, large := make([]byte, 2000), make([]byte, mostReused+1)
	p := pattern{source: 0, tag: AnyTag}
	round := func() {
		for range mostFree {
			m.keep(packet{}, body, true)
		}
		for range mostFree {
			m.recycle(m.take(&p))
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("%v allocations for %d messages", n, mostFree)
	}
	for range mostFree + 10 {
		m.keep(packet{}, large, true)
	}
	for k := m.take(&p); k != nil; k = m.take(&p) {
		m.recycle(k)
	}
	if m.frees > mostFree {
		t.Errorf("%d pieces of memory wait for messages, more than %d", m.frees, mostFree)
	}
	for k := m.free; k != nil; k = k.next {
		if cap(k.memory) > mostReused {
			t.Errorf("%d bytes wait for a message", cap(k.memory))
		}
	}
}
