package lanes

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hcomm/topo"
)

// What lanes share on networks where it is known, links between switches apart from those that all must.
func TestShared(t *testing.T) {
	for _, c := range []struct {
		spec         string
		ask          Ask
		shared, must int // by the pair that shares most
	}{
		{"rails:hosts=64,rails=4,oversubscription=2", Ask{By: Rail}, 0, 0},
		{"rails:hosts=64,rails=4,oversubscription=2,numa=2,bus=20GB", Ask{By: Rail}, 128, 128}, // buses
		{"rails:hosts=64,rails=4,oversubscription=2,numa=2,bus=20GB", Ask{By: Domain}, 0, 0},   // one rail of each
		{"rails:hosts=64,rails=1,oversubscription=2", Ask{By: Number, Lanes: 2}, 128, 128},     // NICs
		{"zones:8+8", Ask{By: Number, Lanes: 4}, 34, 34},                                       // NICs, and the slow link
		{"fattree:k=4", Ask{By: Number, Lanes: 2}, 32, 32},                                     // NICs
		{"fattree:k=8", Ask{By: Number, Lanes: 3}, 256, 256},                                   // NICs
		{"fattree:k=8", Ask{By: Number, Lanes: 4}, 264, 256},                                   // and the fourth a few more
		{"torus:4x4x4", Ask{By: Number, Lanes: 4}, 128, 128},                                   // NICs
		{"dragonfly:p=2,a=4,h=2", Ask{By: Number, Lanes: 3}, 144, 144},                         // NICs
		{"fattree:k=8,rails=8,numa=2,bus=40GB", Ask{By: Number, Lanes: 8}, 256, 256},           // buses
		{"torus:4x4", Ask{By: Number, Lanes: 1}, 0, 0},                                         // there is one only
	} {
		n := network(t, c.spec)
		lanes, err := Build(n, onEach(n), c.ask)
		if err != nil {
			t.Fatal(err)
		}
		s := Shared(n, lanes)
		shared, must := 0, 0
		for i := range lanes {
			shared, must = max(shared, slices.Max(s.Shared[i])), max(must, slices.Max(s.Must[i]))
		}
		t.Logf("%-57s %d lanes of %d links: two share up to %d, and must share %d", c.spec, len(lanes), s.Own[0], shared, must)
		if shared != c.shared || must != c.must {
			t.Errorf("%s, %+v: want %d and %d", c.spec, c.ask, c.shared, c.must)
		}
	}
}

// A link that a lane always needs is in all rings there are over its ports, and its bandwidth is what remains of the
// narrowest.
func TestAlways(t *testing.T) {
	always, sometimes := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, placement, ask := drawLanes(t)
		lanes, err := Build(n, placement[:min(len(placement), 6)], ask)
		if err != nil {
			t.Fatal(err)
		}
		s := Shared(n, lanes)
		for i, l := range lanes {
			needs, slow := newNeeded(n, &l), needed{n, &l, map[int32]bool{}}
			needless := rings(n, l)
			for _, link := range l.links {
				if needs.always(link) != slow.always(link) {
					t.Fatalf("whether %s always needs %+v depends on the way to look", l.Name, n.Links[link])
				}
				if strong := stronglyConnected(&slow, link); strong == slow.always(link) {
					t.Fatalf("%s always needs %+v: %v, but without it all reach all: %v", l.Name, n.Links[link], !strong, strong)
				}
				if !needs.always(link) {
					sometimes++
				} else if always++; needless[link] {
					t.Fatalf("%s always needs %+v, but there is a ring without it", l.Name, n.Links[link])
				}
			}
			for j := range lanes {
				if s.Must[i][j] > s.Shared[i][j] || s.Shared[i][j] > min(s.Own[i], s.Own[j]) || s.Shared[i][j] != s.Shared[j][i] {
					t.Fatalf("lanes %d and %d: %+v", i, j, s)
				}
			}
		}
	})
	if always == 0 || sometimes == 0 {
		t.Errorf("%d links are always needed, %d are not", always, sometimes)
	}
}

// stronglyConnected looks from every rank in one direction.
func stronglyConnected(d *needed, link int32) bool {
	for rank := range d.lane.Ports {
		if !d.reaches(rank, link, false) {
			return false
		}
	}
	return true
}

// rings goes through all rings over a lane's ports, and says which links one of them does without.
func rings(n *topo.Network, l Lane) (needless map[int32]bool) {
	needless = map[int32]bool{}
	var extend func(order, left []int)
	extend = func(order, left []int) {
		if len(left) == 0 {
			links, err := crossed(n, &Lane{Order: order, Ports: l.Ports})
			if err != nil {
				panic(fmt.Sprint("lanes are built where there are ways: ", err))
			}
			for _, link := range l.links {
				if !slices.Contains(links, link) {
					needless[link] = true
				}
			}
			return
		}
		for i, rank := range left {
			extend(append(slices.Clone(order), rank), slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	others := make([]int, 0, len(l.Ports))
	for rank := 1; rank < len(l.Ports); rank++ {
		others = append(others, rank)
	}
	extend([]int{0}, others)
	return needless
}
