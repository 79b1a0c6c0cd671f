package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/simd"
)

// settingsEnv is an environment with these settings.
func settingsEnv(pairs ...string) Environment {
	return func(name string) string {
		for _, p := range pairs {
			if text, ok := strings.CutPrefix(p, name+"="); ok {
				return text
			}
		}
		return ""
	}
}

// Every builder over shared memory, with ranks that are goroutines.
func TestBuildersOfThreads(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 7}
	for _, k := range []plan.Collective{1, 2, 3} {
		for _, b := range plan.Builders(k) {
			t.Run(fmt.Sprintf("%s:%s", strings.ToLower(k.String()), b.Name), func(t *testing.T) {
				for _, ranks := range sizes {
					buildersOfThreads(t, b, ranks)
				}
			})
		}
	}
}

func buildersOfThreads(t *testing.T, b plan.Builder, ranks int) {
	comms, err := InitAll(settingsEnv("HCOMM_ALGO="+b.Collective.String()+":"+b.Name, "HCOMM_SLOT_BYTES=4096", "HCOMM_SLOTS=2"), ranks)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(uint64(ranks), 7))
	if ranks%2 == 1 { // all that may be, remote
		for _, c := range comms {
			c.op.cuts = new(cuts)
		}
	}
	for _, count := range []uint64{0, 1, 3, 600, 20000} {
		s := &scheduled{k: b.Collective, builder: b.Name, t: simd.Int8, count: count}
		if b.Collective.Rooted() {
			s.root = random.IntN(ranks)
		}
		if b.Collective.Reduces() {
			s.op = []simd.Op{simd.Sum, simd.Avg}[random.IntN(2)]
		}
		if b.Collective == plan.Barrier {
			s.count = 0
		} else {
			s.t = []simd.Type{simd.Float32, simd.Int32}[random.IntN(2)]
		}
		for q := range ranks {
			s.buffers(t, random, plan.Role{Rank: q, Ranks: ranks, Root: s.root})
		}
		inParallel(t, comms, func(c *Comm) error {
			return c.collective(s.k, arguments{
				send: at(s.send[c.Rank()]), recv: at(s.recv[c.Rank()]), count: s.count, t: s.t, op: s.op, root: s.root,
			})
		})
		if err := s.check(); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		s.free()
	}
	for _, c := range comms {
		c.Destroy()
	}
}
