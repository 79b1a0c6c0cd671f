package simgrid

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hcomm/ring"
	"hcomm/topo"
)

// traffic is the bytes that each rank sends to each, for each byte of the result.
type traffic map[[2]int]float64

var sentBySMPI = regexp.MustCompile(`New send .*, size = (\d+), src = (\d+), dst = (\d+),`)

// selected has SMPI run an allreduce with the algorithm that Open MPI would choose (smpi/coll-selector:ompi), and gives what
// its log says is sent. In SMPI 3.32 a replay of Open MPI's reduce aborts, and takes no memory otherwise; so where that is
// part of the choice a program is run.
func selected(t *testing.T, ranks, size int, program bool) traffic {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	platform := write("platform.xml", fmt.Sprintf(`<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-%d" speed="1Gf" bw="1GBps" lat="1us"/></platform>
`, ranks-1))
	var hosts, trace strings.Builder
	for r := range ranks {
		fmt.Fprintf(&hosts, "h%d\n", r)
		fmt.Fprintf(&trace, "%d init\n%d allreduce %d 0\n%d finalize\n", r, r, size, r)
	}
	args := []string{"-np", strconv.Itoa(ranks), "-platform", platform, "-hostfile", write("hostfile", hosts.String()),
		"--cfg=smpi/coll-selector:ompi", "--cfg=smpi/host-speed:1Gf", "--cfg=smpi/simulate-computation:0",
		"--log=smpi_request.thres:verbose"}
	if program {
		args = append(args, compiled(t, dir), strconv.Itoa(size))
	} else {
		args = append(args, "-replay", write("traces", write("trace.txt", trace.String())+"\n"))
	}
	out, err := exec.CommandContext(t.Context(), "smpirun", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("smpirun: %v, and it ends with: %s", err, out[max(0, len(out)-2000):])
	}
	sent := traffic{}
	for _, m := range sentBySMPI.FindAllSubmatch(out, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(string(m[i+1]))
		}
		sent[[2]int{n[1] - 1, n[2] - 1}] += float64(n[0]) / float64(size) // processes are numbered from 1
	}
	return sent
}

func compiled(t *testing.T, dir string) string {
	program := filepath.Join(dir, "allreduce")
	if out, err := exec.CommandContext(t.Context(), "smpicc", "-O1", "testdata/allreduce.c", "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("smpicc: %v: %s", err, bytes.TrimSpace(out))
	}
	return program
}

func (s traffic) bytes() (sum float64) {
	for _, bytes := range s {
		sum += bytes
	}
	return sum
}

// crossings is bytes times the links that they cross: those between switches, and all.
type crossings struct{ trunk, all float64 }

// on is those of the traffic when rank r is on hosts[r].
func (s traffic) on(t *testing.T, n *topo.Network, hosts []int) (c crossings) {
	for pair, size := range s {
		route, err := n.Route(topo.Port{Host: hosts[pair[0]]}, topo.Port{Host: hosts[pair[1]]})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range route {
			c.all += size
			if n.Links[l].Kind == topo.Trunk {
				c.trunk += size
			}
		}
	}
	return c
}

// ringTraffic is an allreduce of one byte along a ring.
func ringTraffic(order []int) traffic {
	s := traffic{}
	for i, r := range order {
		s[[2]int{r, order[(i+1)%len(order)]}] = 2 * float64(len(order)-1) / float64(len(order))
	}
	return s
}

// builtRing is the ring along which ranks go that are on these hosts.
func builtRing(t *testing.T, n *topo.Network, hosts []int) []int {
	links, err := n.RingLinks(ports(hosts...))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ring.Build(links, ring.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Order
}

// What an allreduce among ranks that are placed at random on a fat tree sends over its links, for each byte of the result:
// by the algorithms that Open MPI would choose, and along rings.
func TestSelectedAlgorithmsOnFatTree(t *testing.T) {
	needSMPI(t)
	const ranks, seeds = 128, 10
	n := network(t, "fattree:k=8")
	mean := func(of func(hosts []int) traffic) (c crossings) {
		for seed := range uint64(seeds) {
			hosts := rand.New(rand.NewPCG(seed, 0)).Perm(ranks)
			one := of(hosts).on(t, n, hosts)
			c.trunk, c.all = c.trunk+one.trunk/seeds, c.all+one.all/seeds
		}
		return c
	}
	show := func(c crossings, what string) {
		t.Logf("%6.1f links between switches, %6.1f in all: %s", c.trunk, c.all, what)
	}
	inRankOrder := make([]int, ranks)
	for r := range inRankOrder {
		inRankOrder[r] = r
	}
	show(mean(func([]int) traffic { return ringTraffic(inRankOrder) }), "the ring in rank order")
	built := mean(func(hosts []int) traffic { return ringTraffic(builtRing(t, n, hosts)) })
	show(built, "the built ring")
	for _, c := range []struct {
		name, algorithm string
		size            int
		program         bool
	}{
		{"64 KiB", "reduce along a binomial tree, broadcast along one of radix 4", 64 << 10, true},
		{"1 MiB", "Rabenseifner's algorithm", 1 << 20, false},
		{"64 MiB", "Rabenseifner's algorithm", 64 << 20, false},
	} {
		sent := selected(t, ranks, c.size, c.program)
		if bytes := sent.bytes(); math.Abs(bytes/(2*(ranks-1))-1) > 0.01 {
			t.Errorf("%s: for each byte of the result %.1f are sent; it should be %d", c.name, bytes, 2*(ranks-1))
		}
		theirs := mean(func([]int) traffic { return sent })
		show(theirs, "Open MPI's choice for "+c.name+", "+c.algorithm)
		if built.trunk > 0.38*theirs.trunk {
			t.Errorf("the built ring crosses %.1f links between switches, more than 38 %% of what Open MPI's choice does", built.trunk)
		}
	}
}
