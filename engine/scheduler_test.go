package engine

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"hcomm/hmm"
	"hcomm/link/chaos"
	"hcomm/plan"
	"hcomm/simd"
)

// The seeded scheduler: all ranks of a communicator are stepped by one goroutine, over links that deliver in pieces and
// late, in an order that the seed chooses; so a failure can be replayed:
//
//	go test ./engine -run TestInterleavings -engine.seed=N
var seedFlag = flag.Uint64("engine.seed", 0, "the only seed of the seeded scheduler's tests; 0: many")

var seeds = flag.Int("engine.seeds", 10000, "how many seeds TestInterleavings tries")

// job is a communicator under the scheduler.
type job struct {
	random *rand.Rand
	world  *chaos.World
	comms  []*Comm
	calls  []*scheduled // in order, the same on all ranks
	at     []int        // by rank: the call that it is in, or comes to next
	busy   []bool       // it has begun that call
	trace  []byte       // the choices, for comparing runs
	fault  func(rank int, p *plan.Program)
}

// scheduled is one collective with everything that belongs to it.
type scheduled struct {
	k       plan.Collective
	builder string
	t       simd.Type
	op      simd.Op
	count   uint64
	root    int
	send    [][]byte // by rank, nil where there is none
	recv    [][]byte
	inPlace []bool
	frees   []func() // for its memory
}

func (s *scheduled) String() string {
	return fmt.Sprintf("%s:%s of %d %s with %s, root %d, %d ranks, in place %v", s.k, s.builder, s.count, s.t, s.op, s.root, len(s.send), s.inPlace)
}

func newJob(t *testing.T, seed uint64) *job {
	j := &job{random: rand.New(rand.NewPCG(seed, 1))}
	r := j.random
	ranks := 1 + r.IntN(8)
	forced := map[plan.Collective]plan.Builder{}
	for _, k := range []plan.Collective{1, 2, 3} {
		all := plan.Builders(k)
		forced[k] = all[r.IntN(len(all))]
	}
	window, _ := hmm.Arena()
	j.world = chaos.New(chaos.Options{
		Ranks: ranks, Channels: plan.Channels, SlotBytes: 64 << r.IntN(4), LargeBytes: 64 << r.IntN(6), Slots: 1 + r.IntN(4), InlineBytes: 32 * r.IntN(3),
		Depth: 1 + r.IntN(8), Window: window, Random: r,
	})
	remotes := r.IntN(2) == 0
	var cut cuts
	for k := range cut {
		cut[k].large, cut[k].remote = uint64(r.IntN(2000)), uint64(r.IntN(2000))
	}
	slice := []int{0, 64, 192, 1 << 20}[r.IntN(4)]
	members := make([]member, ranks)
	for q := range members {
		members[q] = member{host: "test", pid: q}
	}
	for rank := range ranks {
		c := newComm(rank, members, j.world.Port(rank), policy{}, rules{forced: forced}, nil)
		c.op.windows, c.op.remotes, c.op.cuts = true, remotes, &cut
		for _, k := range []plan.Collective{1, 2, 3} {
			if err := c.Prefer(forced[k], slice); err != nil {
				panic(err)
			}
		}
		c.op.inPlaceFrom = uint64(c.port.InlineBytes()) + 1
		c.op.cacheBytes *= r.IntN(2) // half of the ranks store past the caches
		j.comms = append(j.comms, c)
	}
	j.at, j.busy = make([]int, ranks), make([]bool, ranks)
	for range 1 + r.IntN(3) {
		j.calls = append(j.calls, j.draw(t, forced))
	}
	return j
}

// draw makes a random call.
func (j *job) draw(t *testing.T, forced map[plan.Collective]plan.Builder) *scheduled {
	r, ranks := j.random, len(j.comms)
	all := []plan.Collective{1, 2, 3}
	s := &scheduled{k: all[r.IntN(len(all))], t: simd.Int8}
	s.builder = forced[s.k].Name
	if s.k.Rooted() {
		s.root = r.IntN(ranks)
	}
	if s.k == plan.Barrier {
		s.send, s.recv, s.inPlace = make([][]byte, ranks), make([][]byte, ranks), make([]bool, ranks)
		return s
	}
	types := []simd.Type{simd.Float32, simd.Int32, simd.Uint8, simd.Float64}
	s.t = types[r.IntN(len(types))]
	if s.k.Reduces() {
		s.op = []simd.Op{simd.Sum, simd.Max, simd.Avg}[r.IntN(3)]
	}
	s.count = uint64(r.IntN(1 + []int{3, 40, 700}[r.IntN(3)]))
	for q := range ranks {
		s.buffers(t, r, plan.Role{Rank: q, Ranks: ranks, Root: s.root})
	}
	return s
}

// memory makes n bytes that are ordinary, shared, or shared in part.
func (s *scheduled) memory(t *testing.T, r *rand.Rand, n int) []byte {
	kind := r.IntN(3)
	switch {
	case n == 0 || kind == 0:
		return make([]byte, n)
	case kind == 1:
		p, err := hmm.Alloc(uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		s.frees = append(s.frees, func() { hmm.Free(p) })
		return unsafe.Slice((*byte)(p), n)
	}
	b, free := partlyRegistered(t, r, n)
	s.frees = append(s.frees, free)
	return b
}

// buffers makes those of a rank, in any memory, in place or not, and fills the input.
func (s *scheduled) buffers(t *testing.T, r *rand.Rand, role plan.Role) {
	shape, block := s.k.Shape(role), s.count*uint64(s.t.Size())
	bytes := func(e plan.Extent) int { return int(size(shape, e, block)) }
	in, out := s.memory(t, r, bytes(shape.Input)), s.memory(t, r, bytes(shape.Output))
	inPlace := r.IntN(2) == 0 && shape.Input != plan.None && shape.Output != plan.None
	if inPlace {
		own := role.Rank * int(block)
		switch {
		case shape.Input == shape.Output:
			in = out
		case shape.Input == plan.Own:
			in = out[own : own+int(block)]
		default:
			out = in[own : own+int(block)]
		}
	}
	for i := range out {
		out[i] = 0xa5
	}
	put(in, s.t, role.Rank)
	s.send, s.recv, s.inPlace = append(s.send, in), append(s.recv, out), append(s.inPlace, inPlace)
}

func (s *scheduled) free() {
	for _, free := range s.frees {
		free()
	}
}

// step lets a rank come one look further. It says whether anything happened.
func (j *job) step(t *testing.T, rank int) bool {
	c := j.comms[rank]
	if j.at[rank] == len(j.calls) {
		return false
	}
	if !j.busy[rank] {
		j.begin(rank, j.calls[j.at[rank]])
		return true
	}
	moved, e := c.op.advance()
	if e != nil {
		t.Fatalf("rank %d: %v", rank, e)
	}
	if c.op.finished() {
		j.busy[rank] = false
		j.at[rank]++
		return true
	}
	return moved
}

func (j *job) begin(rank int, s *scheduled) {
	c := j.comms[rank]
	a := arguments{count: s.count, t: s.t, op: s.op, root: s.root}
	p, what := c.prepare(s.k, &a, buffers{input: s.send[rank], output: s.recv[rank], inPlace: s.inPlace[rank]})
	if j.fault != nil {
		j.fault(rank, p)
	}
	h := a.header(s.k)
	c.shared.Sequence++
	h.Op = c.shared.Sequence
	c.op.begin(p, h, what)
	j.busy[rank] = true
}

// run steps ranks and links until all is done; what is wrong then, or on the way, is the error.
func (j *job) run(t *testing.T) error {
	eager := 1 + j.random.IntN(8) // how much more often ranks move than links
	order := j.random.Perm(len(j.comms))
	for {
		if !j.world.Idle() && j.random.IntN(eager) == 0 {
			j.world.Step()
			j.trace = append(j.trace, 0xff)
			continue
		}
		j.random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		moved := slices.IndexFunc(order, func(rank int) bool { return j.step(t, rank) })
		switch {
		case moved >= 0:
			j.trace = append(j.trace, byte(order[moved]))
		case !j.world.Idle():
			j.world.Step()
			j.trace = append(j.trace, 0xff)
		default:
			return j.verdict()
		}
	}
}

// verdict is what is wrong when nothing moves any more.
func (j *job) verdict() error {
	for rank, at := range j.at {
		if at < len(j.calls) {
			return fmt.Errorf("rank %d does not finish call %d, %v", rank, at, j.calls[at])
		}
	}
	for i, s := range j.calls {
		if err := s.check(); err != nil {
			return fmt.Errorf("call %d, %v: %w", i, s, err)
		}
	}
	return nil
}

// check compares every output with the oracle.
func (s *scheduled) check() error {
	for rank := range s.recv {
		blocks := 1
		if block := int(s.count) * s.t.Size(); block > 0 {
			blocks = len(s.recv[rank]) / block
		}
		for b := range blocks {
			for i := range int(s.count) {
				if len(s.recv[rank]) == 0 {
					continue
				}
				got, want := number(s.recv[rank], s.t, b*int(s.count)+i), s.want(rank, b, i)
				if math.Abs(got-want) > 1e-3 {
					return fmt.Errorf("rank %d, block %d, element %d is %v, not %v", rank, b, i, got, want)
				}
			}
		}
	}
	return nil
}

// number is element i of b.
func number(b []byte, t simd.Type, i int) float64 {
	switch t {
	case simd.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	case simd.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return float64(get(b, t, i))
}

// want is element i of block b of a rank's output.
func (s *scheduled) want(rank, b, i int) float64 {
	count := int(s.count)
	switch s.k {
	case plan.Broadcast:
		return float64(element(s.root, i))
	case plan.AllGather, plan.Gather:
		return float64(element(b, i))
	case plan.Scatter:
		return float64(element(s.root, rank*count+i))
	case plan.AlltoAll:
		return float64(element(b, rank*count+i))
	case plan.ReduceScatter:
		i += rank * count
	}
	return s.reduced(i)
}

// reduced is element i of the reduction.
func (s *scheduled) reduced(i int) float64 {
	sum, most := 0, 0
	for q := range s.send {
		sum, most = sum+element(q, i), max(most, element(q, i))
	}
	float := s.t == simd.Float32 || s.t == simd.Float64
	if s.t == simd.Uint8 {
		sum &= 0xff
	}
	switch {
	case s.op == simd.Max:
		return float64(most)
	case s.op == simd.Avg && float:
		return float64(sum) / float64(len(s.send))
	case s.op == simd.Avg:
		return float64(sum / len(s.send))
	}
	return float64(sum)
}

func TestInterleavings(t *testing.T) {
	if *seedFlag != 0 {
		interleave(t, *seedFlag)
		return
	}
	n := *seeds
	if testing.Short() || raceDetector {
		n = min(n, 300)
	}
	for seed := range n {
		interleave(t, uint64(seed)+1)
	}
}

func interleave(t *testing.T, seed uint64) uint64 {
	t.Helper()
	j := newJob(t, seed)
	err := j.run(t)
	if err != nil {
		t.Fatalf("-engine.seed=%d: %v", seed, err)
	}
	return j.end()
}

// end frees what the job has, and returns a number that tells its course.
func (j *job) end() uint64 {
	for _, s := range j.calls {
		s.free()
	}
	h := fnv.New64a()
	h.Write(j.trace)
	return h.Sum64()
}

// A seed has one course, and a failing one fails again in the same way.
func TestInterleavingsReplay(t *testing.T) {
	for seed := range uint64(50) {
		if a, b := interleave(t, seed+1), interleave(t, seed+1); a != b {
			t.Fatalf("seed %d took two courses", seed+1)
		}
	}
	failed := 0
	for seed := range uint64(200) {
		once := func() (string, uint64) {
			j := newJob(t, seed+1)
			j.fault = func(rank int, p *plan.Program) { forgetReads(p) }
			err := j.run(t)
			return fmt.Sprint(err), j.end()
		}
		a, courseA := once()
		b, courseB := once()
		if a != b || courseA != courseB {
			t.Fatalf("seed %d ends with %s, then with %s", seed+1, a, b)
		}
		if !strings.Contains(a, "nil") {
			failed++
		}
	}
	if failed == 0 {
		t.Error("programs that do not wait for their readers pass")
	}
}

// forgetReads breaks a program: it overwrites what peers may still read.
func forgetReads(p *plan.Program) {
	for i := range p.Steps {
		for k := range p.Steps[i].After {
			p.Steps[i].After[k].Read = false
		}
	}
}
