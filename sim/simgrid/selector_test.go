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

	"hcomm/topo"
)

// traffic is the bytes that each rank sends to each.
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
		sent[[2]int{n[1] - 1, n[2] - 1}] += float64(n[0]) // processes are numbered from 1
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
	for _, size := range s {
		sum += size
	}
	return sum
}

// crossings is the bytes times the links that they cross: those between switches, and all.
func (s traffic) crossings(t *testing.T, n *topo.Network, hosts []int) (trunk, all float64) {
	for pair, size := range s {
		if pair[0] == pair[1] {
			continue
		}
		route, err := n.Route(topo.Port{Host: hosts[pair[0]]}, topo.Port{Host: hosts[pair[1]]})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range route {
			switch n.Links[l].Kind {
			case topo.Trunk:
				trunk += size
				all += size
			case topo.Access:
				all += size
			}
		}
	}
	return trunk, all
}

// ringTraffic is an allreduce along a ring.
func ringTraffic(order []int, size float64) traffic {
	s := traffic{}
	for i, r := range order {
		s[[2]int{r, order[(i+1)%len(order)]}] = 2 * float64(len(order)-1) / float64(len(order)) * size
	}
	return s
}

// What an allreduce among ranks that are placed at random on a fat tree sends over its links, by the algorithms that Open
// MPI would choose.
func TestSelectedAlgorithmsOnFatTree(t *testing.T) {
	needSMPI(t)
	const ranks, seeds = 128, 10
	tree, err := topo.Parse("fattree:k=8", os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	n, err := tree.Network()
	if err != nil {
		t.Fatal(err)
	}
	inOrder := make([]int, ranks)
	for r := range inOrder {
		inOrder[r] = r
	}
	for _, c := range []struct {
		name      string
		size      int
		algorithm string
		program   bool
	}{
		{"64 KiB", 64 << 10, "reduce along a binomial tree, then broadcast along one of radix 4", true},
		{"1 MiB", 1 << 20, "Rabenseifner's", false},
		{"64 MiB", 64 << 20, "Rabenseifner's", false},
	} {
		sent := selected(t, ranks, c.size, c.program)
		size := float64(c.size)
		if bytes, want := sent.bytes(), 2*(ranks-1)*size; math.Abs(bytes/want-1) > 0.01 {
			t.Errorf("%s: %.0f bytes are sent; for %s it would be %.0f", c.name, bytes, c.algorithm, want)
		}
		var trunk, all, ringTrunk, ringAll float64
		for seed := range uint64(seeds) {
			hosts := rand.New(rand.NewPCG(seed, 0)).Perm(ranks)
			a, b := sent.crossings(t, n, hosts)
			trunk, all = trunk+a/size/seeds, all+b/size/seeds
			a, b = ringTraffic(inOrder, size).crossings(t, n, hosts)
			ringTrunk, ringAll = ringTrunk+a/size/seeds, ringAll+b/size/seeds
		}
		t.Logf("%s, %s: every byte of the result crosses %.1f links between switches, %.1f in all; in a ring in rank order %.1f and %.1f",
			c.name, c.algorithm, trunk, all, ringTrunk, ringAll)
	}
}
