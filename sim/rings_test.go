package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/plan"
	"hcomm/ring"
	"hcomm/topo"
)

// The tests here are of what the rings of package ring are good for.

// noFiles makes generators the only topologies.
func noFiles(string) ([]byte, error) { return nil, errors.ErrUnsupported }

func generated(t testing.TB, spec string) *topo.Network {
	t.Helper()
	d, err := topo.Parse(spec, noFiles)
	if err != nil {
		t.Fatal(err)
	}
	return network(t, d)
}

// placed puts rank r on a host of its own, at random.
func placed(hosts int, seed uint64) []topo.Port {
	ports := make([]topo.Port, hosts)
	for r, host := range rand.New(rand.NewPCG(seed, 0)).Perm(hosts) {
		ports[r].Host = host
	}
	return ports
}

// built is the ring that is built for ranks at these ports.
func built(t testing.TB, n *topo.Network, ports []topo.Port) []int {
	t.Helper()
	links, err := n.RingLinks(ports)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ring.Build(links, ring.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Order
}

// rings are the algorithms that go round a ring.
func rings(t testing.TB) []plan.Builder {
	return []plan.Builder{
		find(t, plan.AllReduce, "ring"), find(t, plan.AllGather, "ring"), find(t, plan.ReduceScatter, "ring"),
		find(t, plan.AllReduce, "chain"), find(t, plan.Broadcast, "chain"), find(t, plan.Reduce, "chain"),
	}
}

// host is what processors take, with slices that suit a network.
func host() plan.Model {
	m := plan.Host
	m.Slice = 1 << 20
	return m
}

// Two zones with a slow link between them, ranks at random: the ring that is built crosses the link once each way, and takes
// at least 39 % less time than the one in rank order.
func TestTwoZones(t *testing.T) {
	n := generated(t, "zones:64+64")
	ports := placed(128, 1)
	order := built(t, n, ports)
	there, back := 0, 0
	for p, r := range order {
		switch from, to := ports[r].Host < 64, ports[order[(p+1)%128]].Host < 64; {
		case from && !to:
			there++
		case !from && to:
			back++
		}
	}
	if there != 1 || back != 1 {
		t.Errorf("the ring crosses the slow link %d times, and %d times back", there, back)
	}
	for name, model := range map[string]plan.Model{"with processors as of a host": host(), "of the network alone": {}} {
		seconds := func(order []int) float64 {
			l := Lane{Builder: find(t, plan.AllReduce, "ring"), Order: order, Ports: ports, Bytes: 64 << 20}
			return mustRun(t, Job{Network: n, Model: model, Lanes: []Lane{l}}).Seconds
		}
		along, inRankOrder := seconds(order), seconds(nil)
		less := 100 * (1 - along/inRankOrder)
		t.Logf("64 MiB, %s: %.1f ms along the ring, %.1f ms in rank order: %.1f %% less", name, 1e3*along, 1e3*inRankOrder, less)
		if less < 39 {
			t.Errorf("%.1f %% less time", less)
		}
	}
}

// In a fat tree of 128 hosts, ranks at random, the messages of the built ring cross links between switches at least 62 %
// less often than those in rank order.
func TestFatTreeTraversals(t *testing.T) {
	n := generated(t, "fattree:k=8")
	const seeds = 10
	var trunks, all, best, bestOfAll float64
	for seed := range uint64(seeds) {
		ports := placed(128, seed)
		crossed := func(order []int) (trunk, all float64) {
			l := Lane{Builder: find(t, plan.AllReduce, "ring"), Order: order, Ports: ports, Bytes: 1 << 20}
			r := mustRun(t, Job{Network: n, Lanes: []Lane{l}})
			return r.Crossed[topo.Trunk] / r.Bytes, r.Traversals() / r.Bytes
		}
		trunk, every := crossed(nil)
		ringTrunk, ringEvery := crossed(built(t, n, ports))
		least := leastTraversals(n.Topology)
		if ringTrunk < least-1e-9 {
			t.Errorf("seed %d: %v links between switches for each message; %v was the least", seed, ringTrunk, least)
		}
		trunks += 1 - ringTrunk/trunk
		all += 1 - ringEvery/every
		best += 1 - least/trunk
		bestOfAll += 1 - (least+2)/every // each message takes a link from its host, and one to the other
	}
	t.Logf("%.2f %% less traversals of links between switches (no order can save more than %.2f %%), %.2f %% less of all links (%.2f %%)",
		100*trunks/seeds, 100*best/seeds, 100*all/seeds, 100*bestOfAll/seeds)
	if trunks/seeds < 0.62 {
		t.Errorf("%.2f %% less", 100*trunks/seeds)
	}
}

// leastTraversals is how many links between switches a message of a ring over all hosts of a fat tree crosses at least, in
// the mean: a ring leaves each switch with hosts, and each pod, once or more, and comes back; and to leave is to cross a
// link upwards from the edge, and from the pod.
func leastTraversals(t *topo.Topology) float64 {
	edges, pods := 0, map[string]bool{}
	for _, s := range t.Switches {
		if s.Level == 0 {
			edges++
			pods[s.Zone] = true
		}
	}
	return float64(2*edges+2*len(pods)) / float64(len(t.Hosts))
}

// Programs along the rings that are built for networks of all kinds pass the checker.
func TestRingProgramsPass(t *testing.T) {
	for _, spec := range []string{"zones:3+4", "fattree:k=4", "torus:3x4", "dragonfly:p=2,a=2,h=1", "rails:hosts=10,rails=1"} {
		n := generated(t, spec)
		for seed := range uint64(4) {
			hosts := len(n.Hosts)
			order := built(t, n, placed(hosts, seed))
			for _, b := range rings(t) {
				along := b.Along(order)
				o := plan.CheckOptions{Slices: 2, Slots: 2, InPlace: seed%2 == 0, Order: along.Order, Seed: seed}
				if err := plan.Check(along.Programs(hosts, int(seed)), b.Collective, int(seed), o); err != nil {
					t.Errorf("%s, %v/%s along %v: %v", spec, b.Collective, b.Name, order, err)
				}
			}
		}
	}
}

// ranks says how long a ring allreduce among the hosts of a fat tree takes to simulate.
func ranks(t *testing.T, k, ranks int, most time.Duration) {
	n := generated(t, fmt.Sprintf("fattree:k=%d", k))
	for i, order := range [][]int{nil, built(t, n, onePerHost(ranks)), rand.New(rand.NewPCG(1, 1)).Perm(ranks)} {
		start := busy()
		l := Lane{Builder: find(t, plan.AllReduce, "ring"), Order: order, Ports: onePerHost(ranks), Bytes: 64 << 20}
		r := mustRun(t, Job{Network: n, Lanes: []Lane{l}})
		took := busy() - start
		t.Logf("%d ranks, %s: %.4g s, %d messages, %.4g bytes over the busiest link, %.3g links between switches "+
			"for each; simulated in %v", ranks, [...]string{"rank order", "built ring", "random order"}[i], r.Seconds, r.Messages, r.Links[r.Busiest],
			r.Crossed[topo.Trunk]/r.Bytes, took.Round(time.Millisecond))
		if took > most {
			t.Errorf("%d ranks took %v, more than %v", ranks, took, most)
		}
	}
}

// busy is the processor time that the tests have taken: others may use the processors, too.
func busy() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestManyRanks(t *testing.T) { ranks(t, 12, 432, time.Minute) }
