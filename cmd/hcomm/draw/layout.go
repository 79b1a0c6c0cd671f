package draw

import (
	"cmp"
	"slices"

	"hcomm/plan"
)

// Sizes, in units of the picture.
const (
	margin    = 16
	boxHeight = 22
	boxGap    = 6  // between boxes of one rank and round
	headline  = 34 // the title
	header    = 24 // the names of the columns
	side      = 66 // the names of the rounds
	digit     = 7  // about the width of a character
)

// box is a step in the picture.
type box struct {
	at    At
	x, y  int
	form  plan.Form
	label string
}

// arrow is a message in the picture.
type arrow struct {
	x1, y1, x2, y2 int
	channel        int
	label          string
}

// column is a rank in the picture.
type column struct{ x, width int }

func (c column) middle() int { return c.x + c.width/2 }

// layout says where everything is.
type layout struct {
	boxWidth, rowHeight int
	columns             []column
	boxes               []box // by rank and step
	arrows              []arrow
	rounds              int
	right, bottom       int // where the last column and the last round end
}

func newLayout(programs []plan.Program, e *Events, l *labels) *layout {
	y := &layout{boxWidth: 26, rounds: e.Last + 1}
	first := make([]int, len(programs)) // the number of each rank's first box
	for r := range programs {
		first[r] = len(y.boxes)
		for j := range programs[r].Steps {
			b := box{at: At{r, j}, form: programs[r].Steps[j].Form(), label: l.of(At{r, j})}
			y.boxes = append(y.boxes, b)
			y.boxWidth = max(y.boxWidth, 12+digit*len(b.label))
		}
	}
	y.rowHeight = boxHeight + min(36+4*len(programs), 120)
	y.place(programs, e)
	y.connect(e.Messages, first)
	return y
}

// place puts the boxes of a rank and round side by side.
func (y *layout) place(programs []plan.Program, e *Events) {
	x := margin + side
	boxes := y.boxes
	for r := range programs {
		mine := boxes[:len(programs[r].Steps)]
		boxes = boxes[len(mine):]
		counts := make([]int, y.rounds)
		most := 1
		for _, round := range e.Rounds[r] {
			counts[round]++
			most = max(most, counts[round])
		}
		c := column{x: x, width: max(84, y.span(most)+24)}
		y.columns = append(y.columns, c)
		x += c.width
		done := make([]int, y.rounds)
		for i := range mine {
			round := e.Rounds[r][i]
			mine[i].x = c.middle() - y.span(counts[round])/2 + done[round]*(y.boxWidth+boxGap)
			mine[i].y = y.top(round)
			done[round]++
		}
	}
	y.right = x
	y.bottom = y.top(max(y.rounds, 1)-1) + boxHeight
}

// span is the width of so many boxes.
func (y *layout) span(boxes int) int { return boxes*(y.boxWidth+boxGap) - boxGap }

// top is where the boxes of a round begin.
func (y *layout) top(round int) int { return headline + header + margin + round*y.rowHeight }

// connect draws the arrows from the lower edges of boxes to upper edges. On each edge they are spread in the order of the
// boxes at their other ends, so that those of one box do not cross.
func (y *layout) connect(messages []Message, first []int) {
	at := func(a At) *box { return &y.boxes[first[a.Rank]+a.Step] }
	from, to := map[At][]int{}, map[At][]int{}
	y.arrows = make([]arrow, len(messages))
	for i, m := range messages {
		y.arrows[i].channel, y.arrows[i].label = m.Channel, at(m.From).label
		from[m.From] = append(from[m.From], i)
		to[m.To] = append(to[m.To], i)
	}
	spread := func(ends []int, other func(Message) At) {
		slices.SortStableFunc(ends, func(i, k int) int {
			return cmp.Compare(at(other(messages[i])).x, at(other(messages[k])).x)
		})
	}
	for a, ends := range from {
		spread(ends, func(m Message) At { return m.To })
		for k, i := range ends {
			y.arrows[i].x1, y.arrows[i].y1 = at(a).x+y.boxWidth*(k+1)/(len(ends)+1), at(a).y+boxHeight
		}
	}
	for a, ends := range to {
		spread(ends, func(m Message) At { return m.From })
		for k, i := range ends {
			y.arrows[i].x2, y.arrows[i].y2 = at(a).x+y.boxWidth*(k+1)/(len(ends)+1), at(a).y
		}
	}
}
