package sim

import (
	"errors"
	"fmt"
	"math"

	"hcomm/plan"
	"hcomm/topo"
)

// Job is one collective, in one lane or in several at once.
type Job struct {
	Network *topo.Network
	Lanes   []Lane
	Root    int // of a rooted collective
	// Model has what processors take (Overhead, Copy, Reduce), and how large a slice may be (Slice; 0 is a whole part).
	// What messages take is the network's.
	Model plan.Model
	// Grain is in seconds. Changes that are closer together are handled at once: the messages that they slow down or
	// speed up notice up to a grain too early. What shares no full link with others is exact all the same. Zero is exact.
	Grain float64
	// Watch, unless it is nil, is told of each slice of a step when a rank begins with it.
	Watch func(lane, rank, step int)
}

// Lane is a part of the data that goes its own way.
type Lane struct {
	Builder plan.Builder
	Order   []int       // of the ranks: the builder's algorithm goes along it; nil is rank order
	Ports   []topo.Port // by rank
	Bytes   float64     // of a block
}

// Result is what a job took.
type Result struct {
	Seconds  float64
	Lanes    []float64 // the seconds after which each was done
	Messages int64
	Bytes    float64   // of all messages
	Links    []float64 // bytes, by the number of the network's directed link
	Busiest  int       // the link with most bytes; -1 if there are none
	// Crossed is, for each kind of link, the sum over messages of their bytes times how many such links they crossed.
	Crossed [topo.Inside + 1]float64
}

// Traversals are those of all links outside of hosts.
func (r *Result) Traversals() float64 { return r.Crossed[topo.Access] + r.Crossed[topo.Trunk] }

// Run simulates a job. It calls progress, unless that is nil, now and then with how much is done, 0 to 1.
// Programs that wait for ever are an error.
func Run(job Job, progress func(fraction float64)) (*Result, error) {
	s, err := newSimulation(job)
	if err != nil {
		return nil, err
	}
	s.progress = progress
	s.run()
	if err := s.stuck(); err != nil {
		return nil, err
	}
	return s.result(), nil
}

// check finds what is wrong with a job before it is begun.
func (j *Job) check() error {
	switch m := j.Model; {
	case j.Network == nil || len(j.Lanes) == 0:
		return errors.New("a job needs a network, and a lane at least")
	case !atLeastZero(m.Overhead, m.Copy, m.Reduce, m.Slice, j.Grain):
		return fmt.Errorf("the times and sizes of %+v, and the grain %v, must be 0 or more", m, j.Grain)
	}
	for i, l := range j.Lanes {
		if err := l.check(j); err != nil {
			return fmt.Errorf("lane %d: %w", i, err)
		}
	}
	return nil
}

func atLeastZero(all ...float64) bool {
	for _, x := range all {
		if !(x >= 0) || math.IsInf(x, 1) {
			return false
		}
	}
	return true
}

func (l *Lane) check(j *Job) error {
	n := len(l.Ports)
	switch {
	case l.Builder.Build == nil:
		return errors.New("it has no algorithm")
	case n == 0 || n != len(j.Lanes[0].Ports):
		return fmt.Errorf("it has %d ports; all lanes must have one for each rank", n)
	case l.Builder.Collective.Rooted() && (j.Root < 0 || j.Root >= n):
		return fmt.Errorf("the root is %d of %d ranks", j.Root, n)
	case !atLeastZero(l.Bytes):
		return fmt.Errorf("a block of %v bytes", l.Bytes)
	case l.Order != nil && !isOrder(l.Order, n):
		return fmt.Errorf("its order does not have each of %d ranks once", n)
	}
	for r, p := range l.Ports {
		if hosts := j.Network.Hosts; p.Host < 0 || p.Host >= len(hosts) || p.NIC < 0 ||
			p.NIC >= max(len(hosts[p.Host].NICs), 1) {
			return fmt.Errorf("rank %d is at host %d, NIC %d, which is not there", r, p.Host, p.NIC)
		}
	}
	return nil
}

// isOrder says whether an order has each of n ranks once.
func isOrder(order []int, n int) bool {
	seen := make([]bool, n)
	for _, r := range order {
		if r < 0 || r >= n || seen[r] {
			return false
		}
		seen[r] = true
	}
	return len(order) == n
}
