package draw

// tag is where an arrow's label stands.
type tag struct {
	x, y  int
	label string
}

// tags puts a label on each arrow, at the first of some places along it where it covers no box and no other label; if
// there is none, at the first.
func (y *layout) tags() []tag {
	taken := map[[2]int][]tag{} // by squares, so that only near ones are compared
	for _, b := range y.boxes {
		y.take(taken, tag{x: b.x + y.boxWidth/2, y: b.y + boxHeight/2}, y.boxWidth)
	}
	var all []tag
	for _, a := range y.arrows {
		if a.label == "" {
			continue
		}
		best := a.tag(places[0])
		for _, p := range places {
			if t := a.tag(p); free(taken, t) {
				best = t
				break
			}
		}
		all = append(all, best)
		y.take(taken, best, 0)
	}
	return all
}

// places along an arrow, in hundredths of its length.
var places = []int{50, 38, 62, 28, 72, 44, 56, 20, 80}

func (a arrow) tag(hundredths int) tag {
	return tag{a.x1 + (a.x2-a.x1)*hundredths/100, a.y1 + (a.y2-a.y1)*hundredths/100, a.label}
}

const square = 24

// take notes a label, or the places within a box of some width at which no label may be.
func (y *layout) take(taken map[[2]int][]tag, t tag, width int) {
	for x := t.x - width/2; ; x += boxHeight {
		x = min(x, t.x+width/2)
		k := [2]int{x / square, t.y / square}
		taken[k] = append(taken[k], tag{x: x, y: t.y})
		if x >= t.x+width/2 {
			return
		}
	}
}

// free says whether no label or box is near.
func free(taken map[[2]int][]tag, t tag) bool {
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, o := range taken[[2]int{t.x/square + dx, t.y/square + dy}] {
				if abs(o.x-t.x) < 14 && abs(o.y-t.y) < 14 {
					return false
				}
			}
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }
