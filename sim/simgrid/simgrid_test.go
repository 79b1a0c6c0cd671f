package simgrid

import (
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"hcomm/topo"
)

// needSMPI skips a test where there is no SimGrid.
func needSMPI(t *testing.T) {
	if _, err := exec.LookPath("smpirun"); err != nil {
		t.Skip("SimGrid's smpirun is not here (Debian's libsimgrid-dev has it)")
	}
}

// replay has SMPI replay an experiment, and gives the seconds that it says.
func replay(t *testing.T, e Experiment) float64 {
	t.Helper()
	needSMPI(t)
	dir := t.TempDir()
	if err := Write(e, func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(dir, name)) }); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "run.sh")).CombinedOutput()
	said := regexp.MustCompile(`(?m)^(\d+\.\d+) seconds: `).FindSubmatch(out)
	if err != nil || said == nil {
		t.Fatalf("run.sh: %v, and it says: %.2000s", err, out)
	}
	seconds, err := strconv.ParseFloat(string(said[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

// star is hosts around a switch, each with a link of 1 GB/s; host i is i+1 microseconds away from it.
func star(t *testing.T, hosts int) *topo.Network {
	s := &topo.Topology{Name: "star", Switches: []topo.Switch{{Name: "s"}}}
	for i := range hosts {
		name := fmt.Sprint("h", i)
		s.Hosts = append(s.Hosts, topo.Host{Name: name, Memory: topo.Memory{Bandwidth: 4e9, Latency: 100e-9}, NICs: []topo.NIC{{Name: "nic"}}})
		s.Links = append(s.Links, topo.Link{A: name + "/nic", B: "s", Bandwidth: 1e9, Latency: float64(i+1) * 1e-6})
	}
	n, err := s.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// script is the actions of each rank.
type script [][]Action

func (s script) lane(ports ...topo.Port) Lane {
	return Lane{Ports: ports, Actions: func(rank int) iter.Seq[Action] { return slices.Values(s[rank]) }}
}

func send(peer int, bytes float64) Action {
	return Action{Sends: []Message{{Peer: peer, Bytes: bytes}}}
}
func take(peer int) Action { return Action{Receives: []Message{{Peer: peer}}} }

func ports(hosts ...int) (p []topo.Port) {
	for _, h := range hosts {
		p = append(p, topo.Port{Host: h})
	}
	return p
}

// What SMPI says is what one can work out by hand.
func TestClosedForms(t *testing.T) {
	const mega = 1e6 // bytes, which take a millisecond on a link
	for _, c := range []struct {
		name  string
		lanes []Lane
		want  float64
	}{
		{"one message: its transfer, then the latencies of both links",
			[]Lane{script{{send(1, mega)}, {take(0)}}.lane(ports(0, 1)...)}, 1e-3 + 3e-6},
		{"work before and after it",
			[]Lane{script{{{Seconds: 2e-3, Sends: []Message{{Peer: 1, Bytes: mega}}}}, {take(0), {Seconds: 5e-3}}}.lane(ports(0, 1)...)},
			8e-3 + 3e-6},
		{"two messages between two ranks follow each other, and the latency passes once",
			[]Lane{script{{send(1, mega), send(1, mega)}, {take(0), take(0)}}.lane(ports(0, 1)...)}, 2e-3 + 3e-6},
		{"the first of two has arrived while the second is on its way",
			[]Lane{script{{send(1, mega), send(1, mega)}, {take(0), {Seconds: 9e-3}, take(0)}}.lane(ports(0, 1)...)}, 10e-3 + 3e-6},
		{"messages of different latencies have equal shares of a link: both end at 2 ms, the further one later",
			[]Lane{script{{send(1, mega), send(9, mega)}, {take(0)}, {}, {}, {}, {}, {}, {}, {}, {take(0)}}.lane(ports(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)...)},
			2e-3 + 11e-6},
		{"max-min: three messages have a third each of a link, and a fourth has what one of them leaves it of another",
			[]Lane{script{
				{{Sends: []Message{{Peer: 1, Bytes: mega}, {Peer: 2, Bytes: mega}, {Peer: 3, Bytes: mega}}}},
				{take(0), take(4)}, {take(0)}, {take(0)}, {send(1, 2*mega)},
			}.lane(ports(0, 1, 2, 3, 4)...)},
			3e-3 + 7e-6},
		{"a link's two directions are two",
			[]Lane{script{{send(1, mega), take(1)}, {send(0, mega), take(0)}}.lane(ports(0, 1)...)}, 1e-3 + 3e-6},
		{"ranks on a host send through its memory",
			[]Lane{script{{send(1, mega)}, {take(0)}}.lane(ports(3, 3)...)}, 0.25e-3 + 100e-9},
		{"lanes share links, but not processors",
			[]Lane{
				script{{send(1, mega)}, {take(0), {Seconds: 1e-3}}}.lane(ports(0, 1)...),
				script{{send(1, mega)}, {take(0), {Seconds: 3e-3}}}.lane(ports(0, 1)...),
			}, 5e-3 + 3e-6},
		{"queues between two ranks share the wire, but may be read in any order",
			[]Lane{script{
				{{Sends: []Message{{1, 0, mega}, {1, 1, mega}}}},
				{{Receives: []Message{{Peer: 0, Queue: 1}}}, {Receives: []Message{{Peer: 0, Queue: 0}}}},
			}.lane(ports(0, 1)...)}, 2e-3 + 3e-6},
		{"a small message", []Lane{script{{send(1, 100)}, {take(0)}}.lane(ports(0, 1)...)}, 100e-9 + 3e-6},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := replay(t, Experiment{About: t.Name(), Network: star(t, 10), Lanes: c.lanes})
			if math.Abs(got-c.want) > 1e-9 {
				t.Errorf("SMPI says %.3f µs, not %.3f", got*1e6, c.want*1e6)
			}
		})
	}
}
