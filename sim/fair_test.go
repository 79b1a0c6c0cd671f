package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hcomm/plan"
	"hcomm/topo"
)

// progressiveFilling is the oracle: the rates of all flows rise together; when a link is full, those on it stay as they are.
func progressiveFilling(routes [][]int32, bandwidth func(link int32) float64) []float64 {
	rates := make([]float64, len(routes))
	fixed := make([]bool, len(routes))
	for left := len(routes); left > 0; {
		count, rest := map[int32]float64{}, map[int32]float64{}
		for i, route := range routes {
			for _, l := range route {
				if _, known := rest[l]; !known {
					rest[l] = bandwidth(l)
				}
				rest[l] -= rates[i]
				if !fixed[i] {
					count[l]++
				}
			}
		}
		rise := math.Inf(1)
		for l, n := range count {
			rise = min(rise, rest[l]/n)
		}
		for i := range routes {
			if !fixed[i] {
				rates[i] += rise
			}
		}
		for i, route := range routes {
			for _, l := range route {
				if !fixed[i] && count[l] > 0 && rest[l]-count[l]*rise < 1e-9*bandwidth(l) {
					fixed[i] = true
					left--
				}
			}
		}
	}
	return rates
}

// randomTree is switches that hang at random ones before them, with hosts at random, and links of random bandwidths.
func randomTree(random *rand.Rand, hosts, switches int) *topo.Topology {
	d := chainOf(switches, 0, 1)
	widths := []float64{0.25, 0.5, 1, 1, 1, 2, 4}
	for i := range d.Links {
		d.Links[i].A = d.Switches[random.IntN(i+1)].Name
		d.Links[i].Bandwidth *= widths[random.IntN(len(widths))]
	}
	for i := range hosts {
		h := chainOf(1, hosts, 1)
		d.Hosts = append(d.Hosts, h.Hosts[i])
		access := h.Links[i]
		access.B = d.Switches[random.IntN(switches)].Name
		access.Latency *= 1 + random.Float64()
		access.Bandwidth *= widths[random.IntN(len(widths))]
		d.Links = append(d.Links, access)
	}
	return d
}

// randomJob is any algorithm along any order, in up to three lanes, on a random tree with one or two ranks on a host.
func randomJob(t testing.TB, seed uint64) Job {
	random := rand.New(rand.NewPCG(seed, 1))
	hosts := 2 + random.IntN(12)
	ranks := hosts * (1 + random.IntN(2))
	job := Job{Network: network(t, randomTree(random, hosts, 1+random.IntN(6))), Root: random.IntN(ranks)}
	if random.IntN(2) == 0 {
		job.Model = plan.Model{Overhead: 1e-7, Copy: 1e-10, Reduce: 1e-10}
	}
	job.Model.Slice = 2e5
	all := plan.Collectives()
	c := all[random.IntN(len(all))]
	for range 1 + random.IntN(3) {
		b := plan.Builders(c)
		l := Lane{Builder: b[random.IntN(len(b))], Order: random.Perm(ranks), Bytes: random.Float64() * megabyte}
		for r := range ranks {
			l.Ports = append(l.Ports, topo.Port{Host: r % hosts})
		}
		job.Lanes = append(job.Lanes, l)
	}
	return job
}

// At every moment the rates are those that plain progressive filling gives all flows there are; and what flows over each
// link, added up over time, is what the messages have.
func TestRatesAreFair(t *testing.T) {
	solutions, busiest := 0, 0
	for seed := range uint64(25) {
		job := randomJob(t, seed)
		s, err := newSimulation(job)
		if err != nil {
			t.Fatal(err)
		}
		carried, rates, last := make([]float64, len(s.links)), make([]float64, len(s.links)), 0.0
		s.solved = func(now float64) {
			for l := range carried {
				carried[l] += rates[l] * (now - last)
				rates[l] = 0
			}
			last = now
			var flows []int
			var routes [][]int32
			for i := range s.pairs {
				if p := &s.pairs[i]; p.flows() {
					flows = append(flows, i)
					routes = append(routes, s.routes[p.route.begin:p.route.end])
				}
			}
			for i, want := range progressiveFilling(routes, func(l int32) float64 { return s.links[l].bandwidth }) {
				got := s.pairs[flows[i]].rate
				if math.Abs(got-want) > 1e-7*want {
					t.Fatalf("seed %d, at %v: flow %d of %d has the rate %v, not %v", seed, now, i, len(flows), got, want)
				}
				for _, l := range routes[i] {
					rates[l] += got
				}
			}
			solutions++
			busiest = max(busiest, len(flows))
		}
		s.run()
		if err := s.stuck(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for l, want := range s.result().Links {
			if math.Abs(carried[l]-want) > 1e-6*(want+1) {
				t.Fatalf("seed %d: link %d has carried %v bytes, and the messages have %v", seed, l, carried[l], want)
			}
		}
	}
	t.Logf("%d solutions, of up to %d flows", solutions, busiest)
}

// Among hundreds of ranks, of which many share links, each flow now and then has what is fair: the most that its route
// allows, or as much as anybody on some link that is used up.
func TestRatesStayFair(t *testing.T) {
	n := generated(t, "fattree:k=8,oversubscription=2")
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(n.Hosts))
	s, err := newSimulation(Job{Network: n, Model: host(), Lanes: []Lane{
		{Builder: find(t, plan.AllReduce, "ring"), Order: order, Ports: onePerHost(len(n.Hosts)), Bytes: 64 * megabyte},
	}})
	if err != nil {
		t.Fatal(err)
	}
	solutions, checked := 0, 0
	s.solved = func(now float64) {
		if solutions++; solutions%97 > 0 {
			return
		}
		used, most := make([]float64, len(s.links)), make([]float64, len(s.links))
		for i := range s.pairs {
			if p := &s.pairs[i]; p.flows() {
				for _, l := range s.routes[p.route.begin:p.route.end] {
					used[l], most[l] = used[l]+p.rate, max(most[l], p.rate)
				}
			}
		}
		for i := range s.pairs {
			p := &s.pairs[i]
			fair := !p.flows() || p.rate == p.most
			for _, l := range s.routes[p.route.begin:p.route.end] {
				width := s.links[l].bandwidth
				if used[l] > width*(1+1e-10) {
					t.Fatalf("at %v: link %d of %v bytes a second carries %v", now, l, width, used[l])
				}
				fair = fair || used[l] > width*(1-1e-10) && p.rate > most[l]*(1-1e-10)
			}
			if !fair {
				t.Fatalf("at %v: flow %d has the rate %v, and could have more", now, i, p.rate)
			}
			checked++
		}
	}
	s.run()
	t.Logf("%d solutions, %d flows looked at", solutions, checked)
}

// With a grain the end is nearly the same.
func TestGrain(t *testing.T) {
	worst := 0.0
	for seed := range uint64(60) {
		job := randomJob(t, seed)
		exact := mustRun(t, job)
		job.Grain = 0.01 * job.Lanes[0].Bytes / bandwidth / float64(len(job.Lanes[0].Ports))
		coarse := mustRun(t, job)
		off := math.Abs(coarse.Seconds/exact.Seconds - 1)
		if exact.Seconds == 0 {
			off = 0
		}
		worst = max(worst, off)
		if off > 0.02 || coarse.Messages != exact.Messages || coarse.Bytes != exact.Bytes {
			t.Errorf("seed %d: %v seconds, exactly %v", seed, coarse.Seconds, exact.Seconds)
		}
	}
	t.Logf("a grain of a hundredth of a part's time is off by up to %.2g", worst)
}

// Even if all that happens is in one grain, no processor does two things at a time, and no message leaves before it is
// posted: rank 0 is busy with what it sends when messages arrive; and between two to rank 2 it is busy with another.
func TestGrainKeepsProcessors(t *testing.T) {
	for _, pairs := range [][][2]int{{{0, 2}, {0, 2}, {1, 0}, {3, 0}, {4, 0}}, {{0, 2}, {0, 3}, {0, 2}}} {
		job := Job{Network: network(t, chainOf(1, 5, 1)), Model: plan.Model{Copy: 1e-8}, Lanes: []Lane{
			{Builder: messages(pairs...), Ports: onePerHost(5), Bytes: megabyte},
		}}
		exact := mustRun(t, job)
		job.Grain = 1
		near(t, fmt.Sprint(pairs), mustRun(t, job).Seconds, exact.Seconds)
	}
}

// Where no link is shared, a grain changes nothing.
func TestGrainOfRing(t *testing.T) {
	for _, m := range []plan.Model{{}, host()} {
		job := Job{Network: network(t, chainOf(2, 8, 1)), Model: m, Lanes: []Lane{
			{Builder: find(t, plan.AllReduce, "ring"), Ports: onePerHost(16), Bytes: megabyte},
		}}
		exact := mustRun(t, job)
		job.Grain = 1e-4
		near(t, "with a grain", mustRun(t, job).Seconds, exact.Seconds)
	}
}
