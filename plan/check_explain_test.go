package plan

import (
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	mixed := Program{Builder: "mixed", Parts: 2, Scratch: 1, Steps: []Step{
		{Part: 1, Operands: of(input(0)), Store: scratch(0).Location, To: []int{2, 0}, Channel: 1, Eager: true},
		{Part: 1, Operands: of(message(0, 1), scratch(0), message(2, 1)), Store: output(0).Location},
		{Operands: of(message(0, 0)), To: []int{2}},
	}}
	for _, c := range []struct {
		program Program
		want    string
	}{
		{sampleExchange(3)[1], `
exchange, parts: 1
  0 send              part 0: input 0 -> eager message to 0 2
  1 recv-reduce       part 0: message from 0 op input 0 op message from 2 -> output 0; after 0
`}, {sampleOwners(3)[1].ScaleFirst(), `
owners, parts: 3
  0 scale-send        part 0: scale(input 0) -> message to 0
  1 scale-send        part 2: scale(input 0) -> message to 2
  2 recv-scale-reduce  part 1: message from 0 op scale(input 0) -> output 0
  3 recv-reduce-send  part 1: output 0 op message from 2 -> output 0, message to 0 2 on channel 1; after 2
  4 recv              part 0: message from 0 on channel 1 -> output 0; after 0
  5 recv              part 2: message from 2 on channel 1 -> output 0; after 1
`}, {sampleOwners(2)[0].DivideLast(), `
owners, parts: 2
  0 send              part 1: input 0 -> message to 1
  1 recv-reduce-send  part 0: input 0 op message from 1 -> output 0, message to 1 on channel 1
  2 recv              part 1: message from 1 on channel 1 -> output 0; after 0 read
  3 divide            part 0: divide(output 0) -> output 0; after 1 read
  4 divide            part 1: divide(output 0) -> output 0; after 2
`}, {sampleRounds(3)[1], `
rounds, parts: 1
  0 send              part 0: input 0 -> eager message to 2
  1 recv              part 0: message from 0 -> output 0; after 0
  2 send              part 0: input 0 -> eager message to 0; after 1
  3 recv              part 0: message from 2 -> output 0; after 2
`}, {sampleSwap()[0], `
swap, parts: 1, apart
  0 copy              part 0: input 0 -> output 0
  1 send              part 0: input 1 -> message to 1
  2 recv              part 0: message from 1 -> output 1
`}, {mixed.order(), `
mixed, parts: 2, scratch: 1
  0 copy-send         part 1: input 0 -> scratch 0, eager message to 2 0 on channel 1
  1 recv-reduce       part 1: message from 0 on channel 1 op scratch 0 op message from 2 on channel 1 -> output 0; after 0
  2 recv-send         part 0: message from 0 -> message to 2
`}, {Program{Builder: "twice", Parts: 1, Steps: []Step{
			{Operands: of(input(0)), To: []int{1}}, {Operands: of(input(0)), To: []int{1, 2}}}}.order(), `
twice, parts: 1
  0 send              part 0: input 0 -> message to 1; after 1 lag 1
  1 send              part 0: input 0 -> message to 1 2; after 0
`},
	} {
		if got := Explain(c.program); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("got\n%swant%s", got, c.want)
		}
	}
}

// A tree shows what one step folds in one pair of brackets.
func TestTreesAsText(t *testing.T) {
	all := values{}
	x := func(rank, block int) *value { return all.get(value{made: contributed, leaf: leaf{rank, block}}) }
	join := func(left, right *value, same bool) *value {
		return all.get(value{made: joined, left: left, right: right, same: same})
	}
	two := join(x(0, whole), x(1, whole), false)
	for want, v := range map[string]*value{
		"x0": x(0, whole), "x3[2]": x(3, 2), "(x0 x1)": two,
		"(x0 x1 x2)":              join(two, x(2, whole), true),
		"((x0 x1) x2)":            join(two, x(2, whole), false),
		"((x0 x1) (x0 x1))":       join(two, two, false),
		"((x0 x1) (x0 x1) x2)":    join(join(two, two, false), x(2, whole), true),
		"divide((x0 scale(x1)))":  all.mapped(Divide, join(x(0, whole), all.mapped(Scale, x(1, whole)), false)),
		"(divide((x0 x1)) x2[0])": join(all.mapped(Divide, two), x(2, 0), false),
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
