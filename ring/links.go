package ring

import (
	"fmt"
	"math"
	"strings"
)

// Links is what is known of the links between nodes. Where the two directions of a link differ, the worse one counts.
type Links struct {
	Cost      *Matrix  // such as seconds of latency; [NoLink] where there is none
	Bandwidth *Matrix  // in bytes a second; nil: no link is too thin
	Names     []string // of the nodes, for errors; nil: their numbers
}

// largest bounds what a link may cost, so that no sum overflows.
const largest = 1e300

// Gap is a pair of nodes and the cost of the link between them in its two directions.
type Gap struct {
	From, To   int
	Cost, Back float64
}

// size is how much the directions differ.
func (g Gap) size() float64 {
	if g.Cost == g.Back { // or two infinities would be no number
		return 0
	}
	return math.Abs(g.Cost - g.Back)
}

func (l *Links) name(node int) string {
	if l.Names == nil {
		return fmt.Sprint(node)
	}
	return l.Names[node]
}

// check says what is wrong with the links, if anything is.
func (l *Links) check(need float64) error {
	if l.Cost == nil || l.Cost.n == 0 {
		return fmt.Errorf("there are no nodes; a ring needs one at least")
	}
	n := l.Cost.n
	switch {
	case n > MaxNodes:
		return fmt.Errorf("there are %d nodes; a ring has %d at most", n, MaxNodes)
	case l.Bandwidth != nil && l.Bandwidth.n != n:
		return fmt.Errorf("there are bandwidths for %d nodes, and costs for %d", l.Bandwidth.n, n)
	case l.Names != nil && len(l.Names) != n:
		return fmt.Errorf("there are %d names for %d nodes", len(l.Names), n)
	case !(need >= 0) || math.IsInf(need, 0):
		return fmt.Errorf("a hop needs %v bytes a second; that must be a number, 0 or more", need)
	}
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			if v := l.Cost.At(i, j); !validCost(v) {
				return fmt.Errorf("the cost from %s to %s is %v; %s", l.name(i), l.name(j), v, costRule)
			}
			if l.Bandwidth == nil {
				continue
			}
			if v := l.Bandwidth.At(i, j); !(v >= 0) {
				return fmt.Errorf("the bandwidth from %s to %s is %v; it must be 0 or more", l.name(i), l.name(j), v)
			}
		}
	}
	return nil
}

const costRule = "it must be 0 to 1e300, or inf where there is no link"

func validCost(v float64) bool { return v >= 0 && v <= largest || math.IsInf(v, 1) }

// cost is that of the worse direction.
func (l *Links) cost(i, j int) float64 { return max(l.Cost.At(i, j), l.Cost.At(j, i)) }

// bandwidth is that of the worse direction.
func (l *Links) bandwidth(i, j int) float64 {
	if l.Bandwidth == nil {
		return math.Inf(1)
	}
	return min(l.Bandwidth.At(i, j), l.Bandwidth.At(j, i))
}

// gap is the link whose directions differ most; of several, the first.
func (l *Links) gap() (worst Gap) {
	for i := range l.Cost.n {
		for j := range i {
			if g := (Gap{j, i, l.Cost.At(j, i), l.Cost.At(i, j)}); g.size() > worst.size() {
				worst = g
			}
		}
	}
	return worst
}

// Most that an error names: parts, and nodes of each.
const (
	partsNamed = 4
	nodesNamed = 8
)

// apart is the error for nodes that no links join; part has a number for each, the same for those that are joined.
func (l *Links) apart(part []int) error {
	var parts [][]string
	count := map[int]int{}
	for node, p := range part {
		if count[p] == 0 {
			parts = append(parts, nil)
		}
		count[p]++
		if at := p; len(parts[at]) < nodesNamed {
			parts[at] = append(parts[at], l.name(node))
		}
	}
	var said []string
	for p, names := range parts[:min(len(parts), partsNamed)] {
		s := strings.Join(names, ", ")
		if more := count[p] - len(names); more > 0 {
			s += fmt.Sprintf(" and %d more", more)
		}
		said = append(said, "{"+s+"}")
	}
	if more := len(parts) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("the nodes are in %d parts, which no link joins in both directions: %s", len(parts),
		strings.Join(said, ", "))
}
