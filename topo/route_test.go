package topo

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// network is that of a generator.
func network(t testing.TB, spec string) *Network {
	t.Helper()
	topology, err := Parse(spec, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return n
}

// checkRoute wants a route to be a path with the right ends, that goes through no NIC, and is a shortest one.
func checkRoute(n *Network, from, to Port) error {
	route, err := n.Route(from, to)
	if err != nil {
		return err
	}
	if from.Host == to.Host {
		if len(route) != 1 || n.Links[route[0]].Kind != Inside || n.Links[route[0]].From != n.Hosts[from.Host].Name {
			return fmt.Errorf("inside a host, it is %v", route)
		}
		return nil
	}
	at, hops := n.portName(from), int32(0)
	for i, l := range route {
		d := n.Links[l]
		switch {
		case d.Kind == Bus && (i == 0 || i == len(route)-1):
			if i == 0 && d.From != domain(n, from) || i > 0 && d.To != domain(n, to) {
				return fmt.Errorf("the bus is that from %s to %s", d.From, d.To)
			}
			continue
		case d.From != at:
			return fmt.Errorf("link %d of %v leaves %s, want %s", i, route, d.From, at)
		case d.Kind == Inside || d.Kind == Bus:
			return fmt.Errorf("link %d of %v is inside a host", i, route)
		case strings.Contains(d.To, "/") && d.To != n.portName(to):
			return fmt.Errorf("it goes through %s", d.To)
		}
		at, hops = d.To, hops+1
	}
	if at != n.portName(to) {
		return fmt.Errorf("it ends at %s, want %s", at, n.portName(to))
	}
	if want := n.distances(n.ports[to.Host][to.NIC])[n.ports[from.Host][from.NIC]]; hops != want {
		return fmt.Errorf("it has %d links, want %d", hops, want)
	}
	return nil
}

// domain is the name of a port's NUMA domain, as a bus has it.
func domain(n *Network, p Port) string {
	return fmt.Sprintf("%s/numa%d", n.Hosts[p.Host].Name, n.Hosts[p.Host].NICs[p.NIC].NUMA)
}

var specs = []string{
	"fattree:k=4", "fattree:k=8,oversubscription=2", "fattree:k=4,rails=2,numa=2,bus=10GB", "zones:3+4", "zones:2+1+3",
	"rails:hosts=40,rails=4,leaf=16,oversubscription=2", "rails:hosts=5,rails=2,leaf=8", "torus:4x3x2", "torus:5", "torus:1x7",
	"dragonfly:p=2,a=4,h=2", "dragonfly:p=1,a=3,h=2,groups=3", "dragonfly:p=3,a=2,h=0", "zones:1",
}

// Every route of every generator.
func TestRoutes(t *testing.T) {
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			n, again := network(t, spec), network(t, spec)
			for a := range n.Hosts {
				for b := len(n.Hosts) - 1; b >= 0; b-- {
					for nic := range n.Hosts[a].NICs {
						from, to := Port{a, nic}, Port{b, nic}
						if err := checkRoute(n, from, to); err != nil {
							t.Fatalf("%s to %s: %v", n.portName(from), n.portName(to), err)
						}
						route, _ := n.Route(from, to)
						other, _ := again.Route(from, to)
						if !slices.Equal(route, other) {
							t.Fatalf("%s to %s: %v, and from another network %v", n.portName(from), n.portName(to), route, other)
						}
					}
				}
			}
		})
	}
}

// Fat trees of k=8 have 128 hosts; there are 2, 4 or 6 links between two of these.
func TestFatTreeHops(t *testing.T) {
	n := network(t, "fattree:k=8")
	if len(n.Hosts) != 128 || len(n.Switches) != 80 {
		t.Fatalf("%d hosts, %d switches", len(n.Hosts), len(n.Switches))
	}
	for a := range 128 {
		for b := range 128 {
			want := 6
			switch {
			case a == b:
				want = 1
			case a/4 == b/4:
				want = 2
			case a/16 == b/16:
				want = 4
			}
			if route, err := n.Route(Port{a, 0}, Port{b, 0}); err != nil || len(route) != want {
				t.Fatalf("%d to %d: %v, %v; want %d links", a, b, route, err, want)
			}
		}
	}
}

// All to all at a distance, every link of a full fat tree carries the same: that is what D-mod-K is for.
func TestShiftsLoadLinksEvenly(t *testing.T) {
	n := network(t, "fattree:k=8")
	for _, shift := range []int{1, 4, 16, 17, 63} {
		load := map[int32]int{}
		for a := range n.Hosts {
			route, err := n.Route(Port{a, 0}, Port{(a + shift) % 128, 0})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range route {
				if load[l]++; load[l] > 1 {
					t.Fatalf("shift %d: link %s to %s carries two messages", shift, n.Links[l].From, n.Links[l].To)
				}
			}
		}
	}
}

// Of parallel links, the destination's number decides; and a NIC is as wide as it says, whatever its link is.
func TestParallelLinks(t *testing.T) {
	var topology Topology
	topology.Switches = []Switch{{Name: "s"}}
	for h := range 3 {
		name := fmt.Sprint("h", h)
		topology.Hosts = append(topology.Hosts, Host{Name: name, NICs: []NIC{{Name: "n", Bandwidth: 3}}})
		bandwidth := 1 + 4*float64(h)
		topology.Links = append(topology.Links, Link{name + "/n", "s", bandwidth, 1}, Link{"s", name + "/n", bandwidth, 1})
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	out := n.out[n.homes[n.node(Port{})]] // two to each host
	for to, want := range []struct {
		link      int32
		bandwidth float64
	}{{out[0], 1}, {out[2], 3}, {out[5], 3}} { // the sender takes the first digit
		route, err := n.Route(Port{(to + 1) % 3, 0}, Port{to, 0})
		if err != nil || len(route) != 2 || route[1] != want.link || n.Links[route[1]].Bandwidth != want.bandwidth {
			t.Errorf("to host %d: %v, %v, want %v", to, route, err, want)
		}
	}
}

// Ports that are not there, and more of them than a ring may have, are errors.
func TestWrongPorts(t *testing.T) {
	topology := Topology{Hosts: []Host{{Name: "a"}, {Name: "b", NICs: []NIC{{Name: "n"}}}}}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	for ports, want := range map[[2]Port]string{
		{{0, 0}, {1, 0}}:  `host "a" has no NIC`,
		{{1, 0}, {0, 0}}:  `host "a" has no NIC`,
		{{1, 1}, {0, 0}}:  `host "b" has 1 NICs, and none is number 1`,
		{{1, -1}, {0, 0}}: `host "b" has 1 NICs, and none is number -1`,
	} {
		if _, err := n.Route(ports[0], ports[1]); err == nil || err.Error() != want {
			t.Errorf("the route between %v: %v, want %s", ports, err, want)
		}
		if _, err := n.RingLinks(ports[:]); err == nil || err.Error() != want {
			t.Errorf("the links between %v: %v, want %s", ports, err, want)
		}
	}
	if _, err := n.RingLinks(make([]Port, MostHosts)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%d ports: %v", MostHosts, err)
	}
}

// random draws networks with NICs that have no link, one, or several, to switches or to each other.
func random(t *rapid.T) *Network {
	var topology Topology
	var ends []string
	for h := range rapid.IntRange(2, 6).Draw(t, "hosts") {
		host := Host{Name: fmt.Sprint("h", h)}
		for i := range rapid.IntRange(1, 2).Draw(t, "nics") {
			host.NICs = append(host.NICs, NIC{Name: fmt.Sprint("n", i)})
			ends = append(ends, fmt.Sprintf("h%d/n%d", h, i))
		}
		topology.Hosts = append(topology.Hosts, host)
	}
	for s := range rapid.IntRange(0, 5).Draw(t, "switches") {
		topology.Switches = append(topology.Switches, Switch{Name: fmt.Sprint("s", s)})
		ends = append(ends, fmt.Sprint("s", s))
	}
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		a, b := rapid.SampledFrom(ends).Draw(t, "a"), rapid.SampledFrom(ends).Draw(t, "b")
		for k := range rapid.IntRange(1, 2).Draw(t, "parallel") {
			if a != b {
				topology.Links = append(topology.Links, Link{a, b, float64(k + rapid.IntRange(1, 2).Draw(t, "bandwidth")), 1})
			}
		}
	}
	n, err := topology.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRandomRoutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := random(t)
		for a := range n.Hosts {
			for b := range n.Hosts {
				for x := range n.Hosts[a].NICs {
					for y := range n.Hosts[b].NICs {
						from, to := Port{a, x}, Port{b, y}
						_, err := n.Route(from, to)
						far := n.distances(n.ports[b][y])[n.ports[a][x]] < 0
						if a != b && far {
							if err == nil {
								t.Fatalf("there is a route from %s to %s", n.portName(from), n.portName(to))
							}
						} else if err := checkRoute(n, from, to); err != nil {
							t.Fatalf("%s to %s: %v", n.portName(from), n.portName(to), err)
						}
					}
				}
			}
		}
	})
}

func TestGeneratorSizes(t *testing.T) {
	for _, c := range []struct {
		spec                   string
		hosts, switches, links int
	}{
		{"fattree:k=8", 128, 80, 384},
		{"fattree:k=8,oversubscription=2", 128, 32 + 16 + 8, 128 + 64 + 64},
		{"fattree:k=8,rails=2", 128, 160, 768},
		{"fattree:k=64", 65536, 5120, 196608},
		{"rails:hosts=256,rails=8,oversubscription=2", 256, 64 + 16, 2048 + 1024},
		{"zones:64+64", 128, 2, 129},
		{"zones:1+2+3", 6, 3, 9},
		{"torus:4x4x4", 64, 64, 64 + 192},
		{"torus:2x3", 6, 6, 6 + 3 + 6},
		{"dragonfly:p=2,a=4,h=2", 72, 36, 72 + 9*6 + 36},
		{"dragonfly:p=2,a=4,h=2,groups=5", 40, 20, 40 + 5*6 + 20},
		{"dragonfly:p=1,a=4,h=2,groups=3", 12, 12, 12 + 3*6 + 12},
	} {
		topology, err := Parse(c.spec, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int{len(topology.Hosts), len(topology.Switches), len(topology.Links)}
		if want := [3]int{c.hosts, c.switches, c.links}; got != want {
			t.Errorf("%s: %d hosts, switches, links; want %d", c.spec, got, want)
		}
	}
}

// No router of a dragonfly has more links than it has ports for.
func TestDragonflyPorts(t *testing.T) {
	for spec, most := range map[string]int{ // p + a-1 + h
		"dragonfly:p=2,a=4,h=2": 7, "dragonfly:p=1,a=4,h=3,groups=4": 7,
		"dragonfly:p=2,a=4,h=2,groups=2": 7, "dragonfly:p=1,a=2,h=1": 3,
	} {
		topology, err := Parse(spec, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		ports := map[string]int{}
		for _, l := range topology.Links {
			ports[l.A]++
			ports[l.B]++
		}
		for _, s := range topology.Switches {
			if ports[s.Name] > most {
				t.Errorf("%s: %s has %d links, want %d at most", spec, s.Name, ports[s.Name], most)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"fattree":                                    "k is 0",
		"fattree:k=7":                                "k is 7; it must be even",
		"fattree:k=x":                                `"k=x": it must be a whole number`,
		"fattree:k=8,k=4":                            "said twice",
		"fattree:k=8,rail=2":                         `"rail=2" is not known; there are k, oversubscription, rails, bandwidth`,
		"fattree:k=8,oversubscription=3":             "must divide k/2, which is 4",
		"fattree:k=66":                               "71874 hosts",
		"fattree:k=1000000":                          "k is 1000000; it must be 2 to 65536",
		"fattree:k=4,memory=1e308Tbit":               "the memory's bandwidth is +Inf",
		"fattree:k=4,bus=1e308Tbit":                  "the bus's bandwidth is +Inf",
		"fattree:k=4,bandwidth=1e-320":               "a link's bandwidth is 1e-320",
		"zones:2,slow-latency=1e300s":                "a slow link's latency is 1e+300",
		"zones:2,slow=1e308Tbit":                     "a slow link's bandwidth is +Inf",
		"dragonfly:p=1,a=1,h=1,global-latency=1e7":   "a link between groups: latency is 1e+07",
		"fattree:k=8,bandwidth=0":                    "it must be a bandwidth",
		"fattree:k=8,latency=-1us":                   "it must be a time",
		"fattree:k=8,numa=0":                         "numa is 0",
		"rails:hosts=256,leaf=30,oversubscription=4": "must divide leaf",
		"rails:hosts=65536,rails=65":                 "rails is 65",
		"rails:hosts=65536,rails=64":                 "links",
		"zones:":                                     "0 hosts",
		"zones:60000+60000":                          "120000 hosts",
		"zones:0+1":                                  "the size of a zone is 0",
		"zones:4x4":                                  "with + between",
		"torus:4096x4096x4096":                       "hosts",
		"torus:9223372036854775807x2":                "the size of a dimension",
		"torus:2x2x2x2x2x2x2x2x2":                    "1 to 8 dimensions",
		"dragonfly:p=1,a=65536,h=1":                  "hosts",
		"dragonfly:p=1,a=65536,h=0":                  "links",
		"dragonfly:p=65536,a=65536,h=65536":          "hosts",
		"dragonfly:p=2,a=4,h=2,groups=10":            "at most a*h+1, which is 9",
		"nowhere":                                    "fattree:k=8",
		"hypercube:4":                                `"hypercube" is none of fattree, rails`,
	} {
		_, err := Parse(spec, func(string) ([]byte, error) { return nil, errors.New("no such file") })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; it should say: %s", spec, err, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]float64{
		"100Gbit": 12.5e9, "12.5GB": 12.5e9, "1Tbit": 125e9, "8": 8, "8B": 8, "3kB": 3000, "40Mbit": 5e6, "64kbit": 8000,
	} {
		if got, err := ParseBandwidth(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{
		"500ns": 500e-9, "1.5us": 1.5e-6, "2µs": 2e-6, "3ms": 3e-3, "0.5s": 0.5, "0": 0, "7": 7,
	} {
		if got, err := ParseSeconds(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "nanGB", "infB", "-1GB", "0", "1gb", "1 GB"} {
		if got, err := ParseBandwidth(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for bytes, want := range map[float64]string{
		12.5e9: "100Gbit", 1.25e9: "10Gbit", 125e9: "1Tbit", 1: "0.008kbit", 0: "no limit",
	} {
		if got := FormatBandwidth(bytes); got != want {
			t.Errorf("%v is %s, want %s", bytes, got, want)
		}
	}
	for s, want := range map[float64]string{500e-9: "500ns", 1.5e-6: "1.5µs", 3e-3: "3ms", 2: "2s", 0: "0s"} {
		if got := FormatSeconds(s); got != want {
			t.Errorf("%v is %s, want %s", s, got, want)
		}
	}
}

func TestHelp(t *testing.T) {
	help := Help()
	for _, want := range []string{"fattree:k=8", "hosts in each dimension", "(100Gbit)", "(no limit)", "(50µs)", "(8)"} {
		if !strings.Contains(help, want) {
			t.Errorf("it lacks %s:\n%s", want, help)
		}
	}
	t.Log(help)
}
