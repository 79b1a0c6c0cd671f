package simgrid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"hcomm/plan"
	"hcomm/sim"
	"hcomm/topo"
)

// model is what processors take; slices are large enough that SMPI is done with them in a second or so.
var model = plan.Model{Overhead: 60e-9, Copy: 1 / 10e9, Reduce: 1 / 12e9, Slice: 256 << 10}

// What package sim says is what SMPI says: for topologies on which ranks that are placed at random share links.
func TestSimAgreesWithSMPI(t *testing.T) {
	for _, spec := range []string{"fattree:k=4,oversubscription=2", "zones:8+8", "torus:3x3x2"} {
		for _, algorithm := range []string{"ring", "rabenseifner", "double-tree"} {
			for _, size := range []float64{64 << 10, 16 << 20} {
				t.Run(fmt.Sprintf("%s/%s/%.0fKiB", spec, algorithm, size/1024), func(t *testing.T) {
					n := network(t, spec)
					compare(t, sim.Job{Network: n, Model: model, Lanes: []sim.Lane{lane(t, n, algorithm, size)}})
				})
			}
		}
	}
}

// So it is with several lanes, along another order of the ranks, and for other collectives.
func TestSimAgreesWithSMPIOnLanes(t *testing.T) {
	n := network(t, "rails:hosts=8,rails=2,oversubscription=2")
	job := sim.Job{Network: n, Model: model, Lanes: []sim.Lane{lane(t, n, "ring", 4<<20), lane(t, n, "chain", 4<<20)}}
	for r := range job.Lanes[1].Ports {
		job.Lanes[1].Ports[r].NIC = 1
	}
	job.Lanes[0].Order = []int{3, 1, 4, 0, 5, 2, 6, 7}
	compare(t, job)
}

func TestSimAgreesWithSMPIOnOtherCollectives(t *testing.T) {
	n := network(t, "zones:3+2")
	for _, c := range []plan.Collective{plan.Broadcast, plan.AlltoAll, plan.Barrier} {
		t.Run(c.String(), func(t *testing.T) {
			l := lane(t, n, "ring", 1<<20)
			l.Builder = plan.Builders(c)[0]
			compare(t, sim.Job{Network: n, Model: model, Lanes: []sim.Lane{l}, Root: 1})
		})
	}
}

// near is by how much the two may differ. What is left of it are ties: which of two messages, that could be sent at the same
// time, is; sizes are whole bytes in traces.
const near = 0.01

// compare fails where the two differ by more.
func compare(t *testing.T, job sim.Job) {
	t.Helper()
	e, result, err := Record(job, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.About = t.Name()
	smpi := replay(t, e)
	t.Logf("sim %.3f µs, SMPI %.3f µs: %+.4f %%", result.Seconds*1e6, smpi*1e6, (result.Seconds/smpi-1)*100)
	if math.Abs(result.Seconds/smpi-1) > near {
		t.Errorf("they differ by more than %v %%", near*100)
	}
}

func network(t *testing.T, spec string) *topo.Network {
	made, err := topo.Parse(spec, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	n, err := made.Network()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lane is an allreduce among ranks that are placed at random, one on each host.
func lane(t *testing.T, n *topo.Network, algorithm string, size float64) sim.Lane {
	l := sim.Lane{Bytes: size}
	for _, b := range plan.Builders(plan.AllReduce) {
		if b.Name == algorithm {
			l.Builder = b
		}
	}
	for _, host := range rand.New(rand.NewPCG(1, 0)).Perm(len(n.Hosts)) {
		l.Ports = append(l.Ports, topo.Port{Host: host})
	}
	return l
}
