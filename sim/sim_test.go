package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/topo"
)

const (
	bandwidth = 1e9
	latency   = 1e-6 // of each link
)

// network makes one of the test's own.
func network(t testing.TB, d *topo.Topology) *topo.Network {
	t.Helper()
	n, err := d.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// chainOf is switches in a row, with so many hosts at each, numbered from the first switch on; and the links between
// switches have so many times the bandwidth of the others. A single switch makes a star.
func chainOf(switches, hosts int, thick float64) *topo.Topology {
	d := &topo.Topology{Name: "chain"}
	for i := range switches {
		d.Switches = append(d.Switches, topo.Switch{Name: fmt.Sprintf("s%d", i)})
		if i > 0 {
			d.Links = append(d.Links, topo.Link{
				A: fmt.Sprintf("s%d", i-1), B: fmt.Sprintf("s%d", i), Bandwidth: thick * bandwidth, Latency: latency,
			})
		}
		for range hosts {
			name := fmt.Sprintf("h%d", len(d.Hosts))
			d.Hosts = append(d.Hosts, topo.Host{Name: name, NICs: []topo.NIC{{Name: "eth0"}}, Memory: topo.Memory{Bandwidth: 4 * bandwidth}})
			d.Links = append(d.Links, topo.Link{
				A: name + "/eth0", B: fmt.Sprintf("s%d", i), Bandwidth: bandwidth, Latency: latency,
			})
		}
	}
	return d
}

// onePerHost are ports.
func onePerHost(ranks int) []topo.Port {
	ports := make([]topo.Port, ranks)
	for r := range ports {
		ports[r].Host = r
	}
	return ports
}

// messages is a made-up algorithm: each rank sends its block, once, to all that it is paired with here, at once.
func messages(pairs ...[2]int) plan.Builder {
	return plan.Builder{Name: "messages", Collective: plan.AllGather, Build: func(r plan.Role) plan.Program {
		p := plan.Program{Builder: "messages", Parts: 1}
		for _, pair := range pairs {
			if pair[0] == r.Rank {
				own := plan.Operand{Location: plan.Location{Place: plan.Input, Block: r.Rank}}
				p.Steps = append(p.Steps, plan.Step{Operands: []plan.Operand{own}, To: []int{pair[1]}})
			}
			if pair[1] == r.Rank {
				from := plan.Operand{Location: plan.Location{Place: plan.Message}, From: pair[0]}
				p.Steps = append(p.Steps, plan.Step{
					Operands: []plan.Operand{from}, Store: plan.Location{Place: plan.Output, Block: pair[0]},
				})
			}
		}
		return p.ScaleFirst() // which also says what waits for what
	}}
}

func mustRun(t testing.TB, job Job) *Result {
	t.Helper()
	r, err := Run(job, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func find(t testing.TB, c plan.Collective, name string) plan.Builder {
	t.Helper()
	b, err := plan.Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const megabyte = 1e6

// One message takes the latencies of its links and its bytes' time on the thinnest of them.
func TestOneMessage(t *testing.T) {
	r := mustRun(t, Job{Network: network(t, chainOf(3, 1, 0.5)), Lanes: []Lane{
		{Builder: messages([2]int{0, 2}), Ports: onePerHost(3), Bytes: megabyte},
	}})
	near(t, "seconds", r.Seconds, 4*latency+megabyte/(0.5*bandwidth))
	near(t, "traversals", r.Traversals(), 4*megabyte)
	near(t, "of links between switches", r.Crossed[topo.Trunk], 2*megabyte)
	if r.Messages != 1 || r.Bytes != megabyte {
		t.Errorf("%d messages of %v bytes", r.Messages, r.Bytes)
	}
}

// Two that share a link get half of it each; when they do not begin at the same host, the link between switches is theirs.
func TestTwoMessages(t *testing.T) {
	for _, pairs := range [][][2]int{{{0, 2}, {0, 3}}, {{0, 2}, {1, 3}}, {{0, 2}, {1, 2}}} {
		r := mustRun(t, Job{Network: network(t, chainOf(2, 2, 1)), Lanes: []Lane{
			{Builder: messages(pairs...), Ports: onePerHost(4), Bytes: megabyte},
		}})
		near(t, fmt.Sprint(pairs), r.Seconds, 3*latency+2*megabyte/bandwidth)
	}
	// The way back is another link.
	r := mustRun(t, Job{Network: network(t, chainOf(2, 2, 1)), Lanes: []Lane{
		{Builder: messages([2]int{0, 2}, [2]int{2, 0}), Ports: onePerHost(4), Bytes: megabyte},
	}})
	near(t, "there and back", r.Seconds, 3*latency+megabyte/bandwidth)
}

// The parking lot: cars from each of three switches leave by one exit. All are slowed alike by the last link; and who goes
// one link only, beside one that goes all the way, gets half of that link.
func TestParkingLot(t *testing.T) {
	d := chainOf(4, 2, 1)
	r := mustRun(t, Job{Network: network(t, d), Lanes: []Lane{
		{Builder: messages([2]int{0, 6}, [2]int{2, 7}, [2]int{4, 6}), Ports: onePerHost(8), Bytes: megabyte},
	}})
	near(t, "one exit", r.Seconds, 5*latency+3*megabyte/bandwidth)
	r = mustRun(t, Job{Network: network(t, d), Lanes: []Lane{ // 0 to 6 crosses all three links; the others one each
		{Builder: messages([2]int{0, 6}, [2]int{1, 2}, [2]int{3, 4}, [2]int{5, 7}), Ports: onePerHost(8), Bytes: megabyte},
	}})
	near(t, "one long and three short ones", r.Seconds, 5*latency+2*megabyte/bandwidth)
}

// Three and one on two links of a row: the middle one of unequal neighbours gets what the tighter link leaves, and the
// other link's rest goes to those that can use it.
func TestMaxMin(t *testing.T) {
	d := chainOf(3, 4, 1)
	s, err := newSimulation(Job{Network: network(t, d), Lanes: []Lane{{
		Builder: messages([2]int{0, 8}, [2]int{1, 4}, [2]int{2, 5}, [2]int{6, 9}), Ports: onePerHost(12), Bytes: megabyte,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var rates []float64
	s.solved = func(float64) {
		if rates == nil {
			for i := range s.pairs {
				rates = append(rates, s.pairs[i].rate/bandwidth)
			}
		}
	}
	s.run()
	if want := []float64{1. / 3, 1. / 3, 1. / 3, 2. / 3}; !closeTo(rates, want) {
		t.Errorf("the rates are %v, not %v", rates, want)
	}
}

func closeTo(got, want []float64) bool {
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-9*want[i] {
			return false
		}
	}
	return true
}

// A ring on a star, where copying costs nothing, takes 2(n-1) times a hop.
func TestRingOnStar(t *testing.T) {
	for _, n := range []int{2, 3, 16, 100} {
		for _, order := range [][]int{nil, rand.New(rand.NewPCG(1, 1)).Perm(n)} {
			r := mustRun(t, Job{Network: network(t, chainOf(1, n, 1)), Lanes: []Lane{
				{Builder: find(t, plan.AllReduce, "ring"), Order: order, Ports: onePerHost(n), Bytes: megabyte},
			}})
			hops := 2 * float64(n-1)
			near(t, fmt.Sprintf("%d ranks", n), r.Seconds, hops*(2*latency+megabyte/float64(n)/bandwidth))
			near(t, "bytes over the busiest link", r.Links[r.Busiest], hops*megabyte/float64(n))
			if r.Messages != int64(hops)*int64(n) {
				t.Errorf("%d ranks: %d messages", n, r.Messages)
			}
		}
	}
}

// What processors take comes on top, as plan.Simulate has it, where the network costs nothing.
func TestProcessors(t *testing.T) {
	d := chainOf(1, 8, 1)
	for i := range d.Links {
		d.Links[i].Bandwidth, d.Links[i].Latency = 1e18, latency/2
	}
	m := plan.Model{Latency: latency, Overhead: 1e-7, Copy: 1e-10, Reduce: 2e-10, Slice: 1e5, Inline: 1e5}
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			r := mustRun(t, Job{Network: network(t, d), Model: m, Lanes: []Lane{
				{Builder: b, Ports: onePerHost(8), Bytes: megabyte},
			}})
			want := plan.Simulate(b.Programs(8, 0), c, megabyte, m)
			if c == plan.AllGather && b.Name == "recursive-doubling" && math.Abs(r.Seconds-want) < 0.01*want {
				continue // two steps are ready at the same time, and the other one is first
			}
			if math.Abs(r.Seconds-want) > 1e-7*want { // the network takes a picosecond a message
				t.Errorf("%v/%s: %v, want %v", c, b.Name, r.Seconds, want)
			}
		}
	}
}

// Two messages between the same ranks leave one after the other.
func TestPairKeepsOrder(t *testing.T) {
	r := mustRun(t, Job{Network: network(t, chainOf(1, 2, 1)), Model: plan.Model{Slice: megabyte / 4}, Lanes: []Lane{
		{Builder: find(t, plan.Broadcast, "flat"), Ports: onePerHost(2), Bytes: megabyte},
	}})
	near(t, "four slices", r.Seconds, 2*latency+megabyte/bandwidth)
	if r.Messages != 4 {
		t.Errorf("%d messages", r.Messages)
	}
}

// Ranks of one host use its memory; lanes share what they have in common.
func TestInsideHost(t *testing.T) {
	ports := make([]topo.Port, 4)
	lane := Lane{Builder: messages([2]int{0, 1}, [2]int{2, 3}), Ports: ports, Bytes: megabyte}
	r := mustRun(t, Job{Network: network(t, chainOf(1, 1, 1)), Lanes: []Lane{lane}})
	near(t, "one lane", r.Seconds, 2*megabyte/(4*bandwidth))
	near(t, "traversals", r.Traversals(), 0)
	r = mustRun(t, Job{Network: network(t, chainOf(1, 1, 1)), Lanes: []Lane{lane, lane}})
	near(t, "two lanes", r.Seconds, 4*megabyte/(4*bandwidth))
	near(t, "inside", r.Crossed[topo.Inside], 4*megabyte)
}

// Programs that wait for ever, or leave messages, are errors that say who.
func TestStuck(t *testing.T) {
	from := func(rank int) plan.Operand {
		return plan.Operand{Location: plan.Location{Place: plan.Message}, From: rank}
	}
	store := plan.Location{Place: plan.Output}
	step := func(s plan.Step) plan.Program {
		return plan.Program{Builder: "made up", Parts: 1, Steps: []plan.Step{s}}.ScaleFirst()
	}
	all := map[string][]plan.Program{
		"lane 0: rank 0 waits for ever: step 0, slice 0, for a message of rank 1 on channel 0": {
			step(plan.Step{Operands: []plan.Operand{from(1)}, Store: store, To: []int{1}}),
			step(plan.Step{Operands: []plan.Operand{from(0)}, Store: store, To: []int{0}}),
		},
		"lane 0: rank 1 leaves 1 messages of rank 0": {
			step(plan.Step{Operands: []plan.Operand{{Location: plan.Location{Place: plan.Input}}}, To: []int{1}}),
			step(plan.Step{Operands: []plan.Operand{from(0)}, Store: store}),
		},
		"1 messages go where nobody takes them": {
			step(plan.Step{Operands: []plan.Operand{{Location: plan.Location{Place: plan.Input}}}, To: []int{1}}),
			step(plan.Step{Operands: []plan.Operand{{Location: plan.Location{Place: plan.Input}}}, Store: store}),
		},
	}
	twice := all["lane 0: rank 1 leaves 1 messages of rank 0"]
	twice[0].Steps = append(twice[0].Steps, twice[0].Steps[0])
	for want, programs := range all {
		b := plan.Builder{Name: "made up", Collective: plan.AllReduce, Build: func(r plan.Role) plan.Program { return programs[r.Rank] }}
		_, err := Run(Job{Network: network(t, chainOf(1, 2, 1)), Lanes: []Lane{{Builder: b, Ports: onePerHost(2), Bytes: 8}}}, nil)
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What cannot be simulated is refused with a reason.
func TestRefused(t *testing.T) {
	ring := find(t, plan.AllReduce, "ring")
	for want, change := range map[string]func(*Job){
		"a lane at least":               func(j *Job) { j.Lanes = nil },
		"must be 0 or more":             func(j *Job) { j.Grain = math.NaN() },
		"no algorithm":                  func(j *Job) { j.Lanes[0].Builder = plan.Builder{} },
		"one for each rank":             func(j *Job) { j.Lanes[0].Ports = nil },
		"the root is 2 of 2 ranks":      func(j *Job) { j.Lanes[0].Builder, j.Root = find(t, plan.Reduce, "chain"), 2 },
		"-1 bytes":                      func(j *Job) { j.Lanes[0].Bytes = -1 },
		"each of 2 ranks once":          func(j *Job) { j.Lanes[0].Order = []int{1, 1} },
		"rank 1 is at host 5":           func(j *Job) { j.Lanes[0].Ports[1].Host = 5 },
		"NIC 1, which":                  func(j *Job) { j.Lanes[0].Ports[1].NIC = 1 },
		"from rank 0 to rank 1: no way": func(j *Job) { j.Network = network(t, apart()) },
		"is in too many slices":         func(j *Job) { j.Model.Slice = 1e-9 },
	} {
		job := Job{Network: network(t, chainOf(1, 2, 1)), Lanes: []Lane{{Builder: ring, Ports: onePerHost(2), Bytes: 8}}}
		change(&job)
		if _, err := Run(job, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// apart is two hosts that nothing joins.
func apart() *topo.Topology {
	d := chainOf(1, 2, 1)
	d.Links = nil
	return d
}

// The same job gives the same result, and says how far it is.
func TestSameAgain(t *testing.T) {
	job := randomJob(t, 3)
	last := 0.0
	a, err := Run(job, func(fraction float64) {
		if fraction < last {
			t.Errorf("%v is done after %v", fraction, last)
		}
		last = fraction
	})
	if err != nil || last != 1 {
		t.Fatalf("%v; %v is done", err, last)
	}
	if b := mustRun(t, job); !reflect.DeepEqual(a, b) {
		t.Errorf("first %+v, then %+v", a, b)
	}
}
