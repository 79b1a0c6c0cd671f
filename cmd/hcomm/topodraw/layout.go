package topodraw

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"hcomm/topo"
)

// Sizes, in units of the picture.
const (
	hostGap  = 15  // between hosts on the circle
	zoneGap  = 12  // more, between two zones
	least    = 150 // the least radius of the circle
	headline = 36
	margin   = 16
)

// point is in units of the picture, from the middle of the circle.
type point struct{ x, y float64 }

func (p point) plus(q point) point    { return point{p.x + q.x, p.y + q.y} }
func (p point) times(k float64) point { return point{p.x * k, p.y * k} }
func polar(radius, angle float64) point {
	return point{radius * math.Sin(angle), -radius * math.Cos(angle)}
}
func (p point) angle() float64             { return math.Mod(math.Atan2(p.x, -p.y)+2*math.Pi, 2*math.Pi) }
func (p point) length() float64            { return math.Hypot(p.x, p.y) }
func (p point) outwards(by float64) point  { return p.times(1 + by/p.length()) }
func between(p, q point, at float64) point { return p.times(1 - at).plus(q.times(at)) }

// layout says where everything is.
type layout struct {
	radius   float64
	hosts    []point
	switches []point
}

func newLayout(t *topo.Topology) *layout {
	l := &layout{}
	l.placeHosts(t)
	l.placeSwitches(t)
	return l
}

// placeHosts puts the hosts on the circle, clockwise from the top, with gaps between zones.
func (l *layout) placeHosts(t *topo.Topology) {
	gaps := 0
	for i, h := range t.Hosts {
		if h.Zone != t.Hosts[(i+1)%len(t.Hosts)].Zone {
			gaps++
		}
	}
	around := float64(len(t.Hosts)*hostGap + gaps*zoneGap)
	l.radius = max(least, around/(2*math.Pi))
	at := hostGap / 2.
	if gaps > 0 {
		at += zoneGap / 2.
	}
	for i, h := range t.Hosts {
		l.hosts = append(l.hosts, polar(l.radius, 2*math.Pi*at/around))
		at += hostGap
		if i+1 < len(t.Hosts) && h.Zone != t.Hosts[i+1].Zone {
			at += zoneGap
		}
	}
}

// placeSwitches puts those of each level on a circle inside the one below, in the order of what they are linked to there.
func (l *layout) placeSwitches(t *topo.Topology) {
	l.switches = make([]point, len(t.Switches))
	var levels []int
	index := map[string]int{}
	for i, s := range t.Switches {
		index[s.Name] = i
		levels = append(levels, s.Level)
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	neighbours := make([][]point, len(t.Switches))
	placed := map[string]point{}
	for i, h := range t.Hosts {
		placed[h.Name] = l.hosts[i]
	}
	for k, level := range levels {
		for i := range neighbours {
			neighbours[i] = nil
		}
		for _, link := range t.Links {
			for _, ends := range [][2]string{{link.A, link.B}, {link.B, link.A}} {
				host, _, _ := strings.Cut(ends[1], "/")
				i, isSwitch := index[ends[0]]
				if p, ok := placed[host]; ok && isSwitch && t.Switches[i].Level == level {
					neighbours[i] = append(neighbours[i], p)
				}
			}
		}
		l.placeLevel(t, level, neighbours, l.radius*float64(len(levels)-k)/float64(len(levels)+1))
		for i, s := range t.Switches {
			if s.Level == level {
				placed[s.Name] = l.switches[i]
			}
		}
	}
}

// placeLevel puts the switches of a level around the circle.
func (l *layout) placeLevel(t *topo.Topology, level int, neighbours [][]point, radius float64) {
	var here []int
	angles := make([]float64, len(t.Switches))
	for i, s := range t.Switches {
		if s.Level == level {
			here = append(here, i)
			angles[i] = middle(neighbours[i])
		}
	}
	if len(here) == 1 && middleIsFree(neighbours[here[0]], l.radius) {
		return // the point zero
	}
	slices.SortStableFunc(here, func(i, j int) int { return cmp.Compare(angles[i], angles[j]) })
	turn := 0. // how far, in the mean, from where they would be if the first were at half a step
	step := 2 * math.Pi / float64(len(here))
	for k, i := range here {
		if angles[i] < 2*math.Pi {
			turn += angles[i] - step*(float64(k)+.5)
		}
	}
	turn /= float64(len(here))
	for k, i := range here {
		l.switches[i] = polar(radius, turn+step*(float64(k)+.5))
	}
}

// middle is the angle of the mean of points; a whole turn if that is the middle of the circle, or if there are none.
func middle(points []point) float64 {
	var sum point
	for _, p := range points {
		sum = sum.plus(p)
	}
	if len(points) == 0 || sum.length() < 1e-6*float64(len(points))*points[0].length() {
		return 2 * math.Pi
	}
	return math.Round(sum.angle()*1e6) / 1e6 // so that equal ones are equal
}

// middleIsFree says whether a switch alone on its level has its links all around, and so belongs in the middle.
func middleIsFree(points []point, radius float64) bool {
	var sum point
	for _, p := range points {
		sum = sum.plus(p.times(1 / float64(len(points))))
	}
	return sum.length() < radius/4
}
