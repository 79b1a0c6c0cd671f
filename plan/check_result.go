package plan

import (
	"fmt"
	"strings"
)

// contribution is what a block of a rank's input holds before anything happens.
func (m *machine) contribution(rank, block int) *value {
	return m.values.get(value{made: contributed, leaf: m.leaf(rank, block)})
}

func (m *machine) leaf(rank, block int) leaf {
	if m.blocks == 1 {
		block = whole
	}
	return leaf{rank, block}
}

// want lists the contributions that a block of a rank's output must hold.
func (m *machine) want(rank, block int) []leaf {
	switch m.does {
	case Broadcast:
		return []leaf{m.leaf(m.root, 0)}
	case AllGather, Gather:
		return []leaf{m.leaf(block, block)}
	case Scatter:
		return []leaf{m.leaf(m.root, rank)}
	case AlltoAll:
		return []leaf{m.leaf(block, rank)}
	}
	all := make([]leaf, len(m.ranks))
	for q := range all {
		all[q] = m.leaf(q, block)
	}
	return all
}

// checkResults looks at every slice of every output.
func (m *machine) checkResults() error {
	parts := m.programs[0].Parts
	right := map[*value]int{} // and the block for which it is
	for r := range m.ranks {
		shape := m.ranks[r].shape
		for block := range shape.Blocks {
			if !shape.holds(Location{Output, block}, r) {
				continue
			}
			want := m.want(r, block)
			for part := range parts {
				if err := m.checkPart(r, block, part, want, right); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *machine) checkPart(rank, block, part int, want []leaf, right map[*value]int) error {
	cells := m.cells(rank, Location{Output, block}, part)
	for k := range cells {
		v := cells[k].value
		kind, what := ErrMissing, "the output was never written"
		if v != nil {
			kind = nil
			if b, ok := right[v]; !ok || b != block {
				kind, what = m.wrong(v, want)
			}
			if first := m.cells(0, Location{Output, block}, part)[k].value; kind == nil && m.does == AllReduce && v != first {
				kind, what = ErrDiffers, fmt.Sprintf("it holds %v, rank 0 holds %v", v, first)
			}
		}
		if kind != nil {
			return m.fault(kind, rank, cells[k].writer, k, "%v, part %d: %s", Location{Output, block}, part, what)
		}
		if len(want) > 1 {
			right[v] = block
		}
	}
	return nil
}

// wrong compares a result with what it must hold: these contributions, once each, in this order, averaged so.
func (m *machine) wrong(v *value, want []leaf) (kind error, what string) {
	if len(want) == 1 && m.o.Average == Identity && v.made == contributed && v.leaf == want[0] {
		return nil, ""
	}
	have := v.contributions(len(want) + 1)
	times := make(map[leaf]int, len(have))
	for _, x := range have {
		times[x]++
	}
	text := "it holds " + list("%v", have)
	for _, x := range want {
		if times[x] > 1 {
			return ErrDouble, text
		}
	}
	for _, x := range want {
		if times[x] == 0 {
			return ErrMissing, fmt.Sprintf("%s, but not %v", text, x)
		}
	}
	if len(have) > len(want) {
		return ErrDouble, text
	}
	if !m.inOrder(v, have, want) {
		return ErrOrder, fmt.Sprintf("it holds %v, %v is wanted", v, m.o.Order)
	}
	if !v.averaged(m.o.Average) {
		return ErrAverage, fmt.Sprintf("it holds %v", v)
	}
	return nil, ""
}

func (m *machine) inOrder(v *value, have, want []leaf) bool {
	if m.o.Order >= RankOrder {
		for i := range want {
			if have[i] != want[i] {
				return false
			}
		}
	}
	return m.o.Order < LeftFold || v.folded(m.o.Order == OneFold)
}

// list formats items, with commas between.
func list[T any](format string, items []T) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, format, item)
	}
	return b.String()
}
