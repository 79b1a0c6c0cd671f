package lanes

import (
	"slices"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/sim"
	"hcomm/topo"
)

// The host that is assumed: 100 Gbit/s NICs that read and write memory themselves, a microsecond of work for each message
// on each side, reductions that cost nothing, and NUMA domains that have 40 GB/s for their NICs in each direction, where
// four of these could use 50. So no more than 6.4 times what one lane has is to be had. Reductions that take time would
// make that more, for a lane's link is idle meanwhile.
const assumedHost = "numa=2,bus=40GB,bandwidth=100Gbit"

var assumedCore = plan.Model{Overhead: 1e-6}

func lanesOver(t *testing.T, n *topo.Network, ask Ask) []Lane {
	t.Helper()
	lanes, err := Build(n, onEach(n), ask)
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

// allReduce simulates one of so many bytes, by rings along the lanes. Where lanes meet on all links, it lumps together what
// happens within 20 µs, a twentieth of what a part takes: exact, that takes many times as long, and is the same to 1 %.
func allReduce(t *testing.T, n *topo.Network, lanes []Lane, shares []uint32, bytes uint64) *sim.Result {
	t.Helper()
	ring, err := plan.Find(plan.AllReduce, "ring")
	if err != nil {
		t.Fatal(err)
	}
	job := sim.Job{Network: n, Model: assumedCore}
	if len(lanes) > len(n.Hosts[0].NICs) {
		job.Grain = 20e-6
	}
	for i, r := range Split(shares, bytes, 1, 0) {
		l := lanes[i]
		job.Lanes = append(job.Lanes, sim.Lane{Builder: ring, Order: l.Order, Ports: l.Ports, Bytes: float64(r.Count)})
	}
	result, err := sim.Run(job, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// compare logs how long one lane and all of them take for so many MiB, and how many times the bandwidth that is.
func compare(t *testing.T, n *topo.Network, one, all []Lane, mib uint64) float64 {
	t.Helper()
	before := allReduce(t, n, one, Equal(len(one)), mib<<20).Seconds
	after := allReduce(t, n, all, Equal(len(all)), mib<<20).Seconds
	t.Logf("%s, %4d MiB: one lane %6.2f ms, %d lanes %6.2f ms: %.2f times the bandwidth",
		n.Name, mib, 1e3*before, len(all), 1e3*after, before/after)
	return before / after
}

// Eight rails carry nearly what their buses can, though their spines have half the links of their hosts: a ring crosses
// these only once from each leaf switch.
func TestEightRails(t *testing.T) {
	n := network(t, "rails:hosts=256,rails=8,oversubscription=2,"+assumedHost)
	lanes := lanesOver(t, n, Ask{By: Rail})
	for _, mib := range []uint64{64, 256, 1024} {
		if times := compare(t, n, lanes[:1], lanes, mib); mib == 1024 && times < 5.8 || times > 6.4 {
			t.Errorf("eight rails have %.2f times the bandwidth of one", times)
		}
	}
}

// The control: eight rings over the same NICs carry no more than one.
func TestOneRail(t *testing.T) {
	n := network(t, "rails:hosts=256,rails=1,oversubscription=2,"+assumedHost)
	one, all := lanesOver(t, n, Ask{By: Rail}), lanesOver(t, n, Ask{By: Number, Lanes: 8})
	if times := compare(t, n, one, all, 1024); times < 0.95 || times > 1.05 {
		t.Errorf("eight rings have %.2f times the bandwidth of one", times)
	}
}

// slowed is the network with the links of one rail at a tenth.
func slowed(t *testing.T, n *topo.Network, rail string) *topo.Network {
	t.Helper()
	slow := *n.Topology
	slow.Links = slices.Clone(slow.Links)
	for i, l := range slow.Links {
		if strings.HasPrefix(l.A, rail+".") || strings.HasPrefix(l.B, rail+".") {
			slow.Links[i].Bandwidth /= 10
		}
	}
	network, err := slow.Network()
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// Shares follow what is simulated: a rail slows to a tenth, others take over what their buses allow, and it recovers.
func TestSharesFollowTheSimulation(t *testing.T) {
	fast := network(t, "rails:hosts=32,rails=8,leaf=8,oversubscription=2,"+assumedHost)
	slow := slowed(t, fast, "rail3")
	lanes, shares := lanesOver(t, fast, Ask{By: Rail}), NewShares(Equal(8))
	history := [][]uint32{shares.Now()}
	const bytes = 256 << 20
	operations := func(n *topo.Network, count int) (ms float64) {
		for range count {
			result := allReduce(t, n, lanes, shares.Now(), bytes)
			samples := make([]Sample, len(lanes))
			for i, r := range Split(shares.Now(), bytes, 1, 0) {
				samples[i] = Sample{int64(r.Count), int64(1e9 * result.Lanes[i])}
			}
			if shares.Observe(samples) {
				history = append(history, shares.Now())
			}
			ms = 1e3 * result.Seconds
		}
		return ms
	}
	before := operations(fast, 10)
	hit := operations(slow, 1)
	settled := operations(slow, 20)
	t.Logf("eight rails take %.2f ms; one slows to a tenth: %.2f ms", before, hit)
	t.Logf("20 operations later %.2f ms: %s", settled, percents(shares.Now()))
	const left = (38.75 + 40) / 80 // 3.1 rails of one domain, and the bus of the other
	if settled > before/left/0.85 {
		t.Errorf("20 operations later they get %.0f %% of what is left", 100*before/left/settled)
	}
	for lane := range lanes {
		if back := comesBack(history, lane); back > 1.0/8 {
			t.Errorf("the share of lane %d overshoots and comes back by %.0f %%", lane, 100*back)
		}
	}
	history = history[len(history)-1:]
	recovered := operations(fast, 20)
	t.Logf("20 operations after it has recovered %.2f ms: %s", recovered, percents(shares.Now()))
	if recovered > before/0.85 {
		t.Errorf("20 operations after it has recovered they take %.2f ms, and %.2f before", recovered, before)
	}
}
