package lanes

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hcomm/plan"
	"hcomm/topo"
)

// network makes one from a description.
func network(t interface{ Fatal(...any) }, spec string) *topo.Network {
	topology, err := topo.Parse(spec, func(string) ([]byte, error) { return nil, errors.New("there are no files") })
	if err != nil {
		t.Fatal(err)
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// onEach is one rank on each host.
func onEach(n *topo.Network) []int {
	placement := make([]int, len(n.Hosts))
	for i := range placement {
		placement[i] = i
	}
	return placement
}

// twoSwitches is hosts whose NICs are linked to both of two switches, which are linked to each other, or to one only.
func twoSwitches(t *rapid.T) *topo.Network {
	topology := topo.Topology{Switches: []topo.Switch{{Name: "s"}, {Name: "t"}}}
	topology.Links = append(topology.Links, topo.Link{A: "s", B: "t", Bandwidth: 1e9})
	for i := range 6 {
		host := topo.Host{Name: fmt.Sprint("h", i), NUMA: []topo.NUMA{{Bandwidth: 1e9}}, NICs: []topo.NIC{{Name: "n"}}}
		topology.Hosts = append(topology.Hosts, host)
		for _, s := range rapid.SampledFrom([]string{"s", "t", "st"}).Draw(t, "switches") {
			topology.Links = append(topology.Links, topo.Link{A: host.Name + "/n", B: string(s), Bandwidth: 1e9})
		}
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// drawLanes draws a network, ranks on its hosts, one or several on each, and lanes over them.
func drawLanes(t *rapid.T) (n *topo.Network, placement []int, ask Ask) {
	spec := rapid.SampledFrom([]string{
		"two switches", "fattree:k=4", "fattree:k=4,rails=2,numa=2,bus=10GB", "zones:3+4", "torus:4x3", "dragonfly:p=1,a=3,h=2,groups=3",
		"rails:hosts=9,rails=4,leaf=4,oversubscription=2,numa=2,bus=20GB",
	}).Draw(t, "network")
	if spec == "two switches" {
		n = twoSwitches(t)
	} else {
		n = network(t, spec)
	}
	placement = rapid.SliceOfN(rapid.IntRange(0, len(n.Hosts)-1), 1, 10).Draw(t, "placement")
	ask = Ask{By: rapid.SampledFrom([]By{Rail, Domain, Number}).Draw(t, "by"), Lanes: rapid.IntRange(1, 5).Draw(t, "lanes")}
	return n, placement, ask
}

// checkLane wants a ring over all ranks, each with a port of its host, and what is said of it to be so.
func checkLane(n *topo.Network, placement []int, l Lane) error {
	if len(l.Order) != len(placement) || len(l.Ports) != len(placement) {
		return errors.New("it does not have all ranks")
	}
	for i, rank := range slices.Sorted(slices.Values(l.Order)) {
		if rank != i || l.Ports[rank].Host != placement[rank] {
			return errors.New("it does not have each rank once, on its host")
		}
	}
	links, err := n.RingLinks(l.Ports)
	if err != nil {
		return err
	}
	total := 0.0
	for i, from := range l.Order {
		if to := l.Order[(i+1)%len(l.Order)]; to != from {
			total += links.Cost.At(from, to)
		}
	}
	if math.Abs(total-l.Total) > 1e-9*total {
		return errors.New("its total is wrong")
	}
	return nil
}

// Each lane is a ring over all ranks, the same every time, and along it every algorithm computes what it must.
func TestLanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, placement, ask := drawLanes(t)
		lanes, err := Build(n, placement, ask)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Build(n, placement, ask); !reflect.DeepEqual(again, lanes) {
			t.Fatalf("once %+v, then %+v", lanes, again)
		}
		c := rapid.SampledFrom(plan.Collectives()).Draw(t, "collective")
		for _, l := range lanes {
			if err := checkLane(n, placement, l); err != nil {
				t.Fatalf("%s: %v: %+v", l.Name, err, l)
			}
			b := rapid.SampledFrom(plan.Builders(c)).Draw(t, "algorithm").Along(l.Order)
			root := rapid.IntRange(0, len(placement)-1).Draw(t, "root")
			if !c.Rooted() {
				root = 0
			}
			options := plan.CheckOptions{Slices: 2, Slots: 2, Order: b.Order, Seed: rapid.Uint64().Draw(t, "seed")}
			if err := plan.Check(b.Programs(len(placement), root), c, root, options); err != nil {
				t.Fatalf("%s, %v by %s: %v", l.Name, c, b.Name, err)
			}
		}
	})
}

// Which NICs lanes have: one rail, or one domain, each; where a number is asked for, far apart.
func TestPorts(t *testing.T) {
	n := network(t, "rails:hosts=4,rails=8,leaf=4,numa=2")
	for _, c := range []struct {
		ask  Ask
		want string // the NIC of each lane
	}{
		{Ask{By: Rail}, "rail 0:0 rail 1:1 rail 2:2 rail 3:3 rail 4:4 rail 5:5 rail 6:6 rail 7:7"},
		{Ask{By: Domain}, "NUMA domain 0:0 NUMA domain 1:4"},
		{Ask{By: Number, Lanes: 1}, "lane 0:0"},
		{Ask{By: Number, Lanes: 2}, "lane 0:0 lane 1:4"},
		{Ask{By: Number, Lanes: 3}, "lane 0:0 lane 1:2 lane 2:5"},
		{Ask{By: Number, Lanes: 10}, "lane 0:0 lane 1:1 lane 2:2 lane 3:3 lane 4:4 lane 5:5 lane 6:6 lane 7:7 lane 8:0 lane 9:1"},
	} {
		lanes, err := Build(n, []int{3, 1, 2, 0}, c.ask)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lanes {
			got = append(got, l.Name+":"+string(rune('0'+l.Ports[0].NIC)))
			for rank, p := range l.Ports {
				if p.NIC != l.Ports[0].NIC || p.Host != []int{3, 1, 2, 0}[rank] {
					t.Errorf("%+v: rank %d of %s has %v", c.ask, rank, l.Name, p)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %s, want %s", c.ask, strings.Join(got, " "), c.want)
		}
	}
}

// hosts makes a topology of hosts whose NICs are on these rails, and have a link to one switch.
func hosts(t *testing.T, links bool, rails ...[]int) *topo.Network {
	t.Helper()
	topology := topo.Topology{Switches: []topo.Switch{{Name: "s"}}}
	for i, of := range rails {
		host := topo.Host{Name: fmt.Sprint("h", i)}
		for nic, rail := range of {
			name := fmt.Sprint("n", nic)
			host.NICs = append(host.NICs, topo.NIC{Name: name, Rail: rail})
			if links {
				topology.Links = append(topology.Links, topo.Link{A: host.Name + "/" + name, B: "s", Bandwidth: 1e9})
			}
		}
		topology.Hosts = append(topology.Hosts, host)
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Ranks of one host have its NICs of a rail in turn.
func TestRanksOfAHostTakeTurns(t *testing.T) {
	lanes, err := Build(hosts(t, true, []int{0, 1, 0}, []int{0}), []int{0, 0, 1, 0, 1}, Ask{By: Rail})
	want := []topo.Port{{Host: 0, NIC: 0}, {Host: 0, NIC: 2}, {Host: 1}, {Host: 0, NIC: 0}, {Host: 1}}
	if err != nil || len(lanes) != 1 || !slices.Equal(lanes[0].Ports, want) {
		t.Errorf("%+v, %v; want one lane with the ports %v", lanes, err, want)
	}
}

// What is left of the narrowest link: of a NIC, of a bus or a slow link that lanes share, of memory.
func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		spec      string
		ask       Ask
		placement []int
		want      float64
	}{
		{"rails:hosts=4,rails=8,leaf=2,numa=2,bus=40GB", Ask{By: Rail}, []int{0, 1, 2, 3}, 10e9},
		{"rails:hosts=4,rails=8,leaf=2,numa=2,bus=40GB", Ask{By: Domain}, []int{0, 1, 2, 3}, 12.5e9},
		{"rails:hosts=4,rails=8,leaf=2,numa=2,bus=40GB", Ask{By: Rail}, []int{1}, math.Inf(1)},
		{"zones:4+4,slow=1GB", Ask{By: Number, Lanes: 4}, []int{7, 0, 6, 1, 5, 2}, 0.25e9},
		{"zones:4+4,memory=3GB", Ask{By: Number, Lanes: 2}, []int{3, 3}, 0.75e9}, // there and back
	} {
		lanes, err := Build(network(t, c.spec), c.placement, c.ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lanes {
			if l.Bandwidth != c.want {
				t.Errorf("%s, %+v: %s has %v bytes a second, want %v", c.spec, c.ask, l.Name, l.Bandwidth, c.want)
			}
		}
	}
}

func TestWhatCannotBeBuilt(t *testing.T) {
	n := network(t, "zones:1+1")
	other := hosts(t, false, nil, []int{0}, []int{1})
	for _, c := range []struct {
		n         *topo.Network
		placement []int
		ask       Ask
		want      string
	}{
		{n, nil, Ask{}, "there are no ranks"},
		{n, []int{0, 2}, Ask{}, "rank 1 is on host 2; there are 2 hosts"},
		{n, []int{0, 1}, Ask{By: Number}, "0 lanes are asked for; there can be 1 to 256"},
		{other, []int{0}, Ask{}, `host "h0" has no NIC on a rail that the hosts of ranks 0 to 0 have`},
		{other, []int{1, 2}, Ask{}, `host "h2" has no NIC on a rail that the hosts of ranks 0 to 1 have`},
		{other, []int{1, 2}, Ask{By: Domain}, "NUMA domain 0: "}, // no link joins them
	} {
		if _, err := Build(c.n, c.placement, c.ask); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, %+v: %v, want %s", c.placement, c.ask, err, c.want)
		}
	}
}
