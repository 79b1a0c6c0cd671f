package topo

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// everyPort is all ports of a network, the last first.
func everyPort(n *Network) (ports []Port) {
	for h := len(n.Hosts) - 1; h >= 0; h-- {
		for nic := range n.Hosts[h].NICs {
			ports = append(ports, Port{h, nic})
		}
	}
	return ports
}

// checkLinks compares the matrices with what the routes say, one by one.
func checkLinks(n *Network, ports []Port) error {
	links, err := n.RingLinks(ports)
	if err != nil {
		return err
	}
	for i, from := range ports {
		if links.Names[i] != n.portName(from) {
			return fmt.Errorf("port %d is %s, want %s", i, links.Names[i], n.portName(from))
		}
		for j, to := range ports {
			if i == j {
				continue
			}
			cost, bandwidth := 0.0, math.Inf(1)
			if route, err := n.Route(from, to); err != nil {
				cost, bandwidth = math.Inf(1), 0
			} else {
				for _, l := range route {
					cost += n.Links[l].Latency + 64/n.Links[l].Bandwidth
					bandwidth = min(bandwidth, n.Links[l].Bandwidth)
				}
			}
			got := links.Cost.At(i, j)
			near := got == cost || math.Abs(got-cost) < 1e-11 // ten links, rounded to picoseconds
			if !near || links.Bandwidth.At(i, j) != bandwidth {
				return fmt.Errorf("%s to %s: cost %v, bandwidth %v, want %v, %v", n.portName(from), n.portName(to),
					got, links.Bandwidth.At(i, j), cost, bandwidth)
			}
		}
	}
	return nil
}

// Distances are those that routes have, one by one.
func TestDistances(t *testing.T) {
	for _, spec := range append(specs, "zones:2+3,bandwidth=1Gbit,slow=3Gbit,slow-latency=1ns") {
		n := network(t, spec)
		for to := range n.Hosts {
			for from, got := range n.Distances(to) {
				route, err := n.Route(Port{Host: from}, Port{Host: to})
				if err != nil {
					t.Fatal(err)
				}
				want := Distance{Bandwidth: math.Inf(1)}
				for _, l := range route {
					if kind := n.Links[l].Kind; kind == Access || kind == Trunk {
						want.Links++
					}
					want.Picoseconds += math.Round(n.Links[l].Latency * 1e12)
					want.Bandwidth = min(want.Bandwidth, n.Links[l].Bandwidth)
				}
				if from == to {
					want.Picoseconds = 0
				}
				if got != want {
					t.Errorf("%s: host %d is %+v from host %d, want %+v", spec, from, got, to, want)
				}
			}
		}
	}
}

func TestLinks(t *testing.T) {
	for _, spec := range append(specs, "zones:2+3,bandwidth=1Gbit,slow=3Gbit,slow-latency=1ns") {
		n := network(t, spec)
		if err := checkLinks(n, everyPort(n)); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
		links, err := n.RingLinks(everyPort(n))
		if err != nil {
			t.Fatal(err)
		}
		for i := range links.Cost.Len() {
			for j := range i {
				if links.Cost.At(i, j) != links.Cost.At(j, i) {
					t.Fatalf("%s: %v one way, %v the other", spec, links.Cost.At(i, j), links.Cost.At(j, i))
				}
			}
		}
	}
}

// In random networks shortest ways may have different links, and there may be none.
func TestRandomLinks(t *testing.T) {
	unlike := 0
	rapid.Check(t, func(t *rapid.T) {
		n := random(t)
		ports := everyPort(n)
		w := newWays(n, packet)
		for _, p := range ports {
			w.find(n.homes[n.node(p)])
			for _, c := range w.costs {
				if c.unlike {
					unlike++
				}
			}
		}
		if err := checkLinks(n, ports); err != nil {
			t.Fatal(err)
		}
	})
	if unlike == 0 {
		t.Error("no network had ways that differ")
	}
}

// The same latency over links that are thinner, or over more of them, costs more.
func TestThinCostsMore(t *testing.T) {
	topology := Topology{
		Hosts: []Host{
			{Name: "a", NICs: []NIC{{Name: "n"}}}, {Name: "b", NICs: []NIC{{Name: "n"}}}, {Name: "c", NICs: []NIC{{Name: "n"}}},
		},
		Switches: []Switch{{Name: "s"}, {Name: "t"}},
		Links: []Link{
			{"a/n", "s", 10e9, 2e-6}, {"b/n", "s", 10e9, 1e-6}, {"c/n", "t", 10e9, 0.5e-6}, {"s", "t", 10e9, 0.5e-6},
		},
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	links, err := n.RingLinks([]Port{{0, 0}, {1, 0}, {2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := links.Cost.At(0, 1), links.Cost.At(0, 2); !(near < far && far < near*1.01) {
		t.Errorf("two links cost %v, three of the same latency %v", near, far)
	}
}

func TestManyLinks(t *testing.T) {
	n := network(t, "fattree:k=26")
	ports := make([]Port, 4096)
	for i := range ports {
		ports[i] = Port{i * 1301 % len(n.Hosts), 0}
	}
	start := time.Now()
	links, err := n.RingLinks(ports)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the matrices of %d ports took %v", len(ports), time.Since(start))
	for _, pair := range [][2]int{{0, 1}, {17, 3000}, {4095, 2}} {
		one, err := n.RingLinks([]Port{ports[pair[0]], ports[pair[1]]})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := links.Cost.At(pair[0], pair[1]), one.Cost.At(0, 1); got != want {
			t.Errorf("%v: %v, want %v", pair, got, want)
		}
	}
}
