package plan

import (
	"fmt"
	"strings"
)

// value is the symbol that stands for the elements of one slice: a tree whose leaves are contributions. Equal trees are
// one value, so two ranks hold the same bits exactly when they hold the same pointer. Which chunk and slice it belongs
// to need not be said: memory is cut the same way everywhere, and ErrMismatch catches messages that cross over.
type value struct {
	made        made
	rank        int    // of a contribution
	left, right *value // right is for joined only
}

// made says how a value came about.
type made uint8

const (
	contributed made = iota
	joined
	scaled
	divided
)

// values keeps one copy of each tree.
type values map[value]*value

func (all values) get(v value) *value {
	same, ok := all[v]
	if !ok {
		same = &v
		all[v] = same
	}
	return same
}

func (all values) mapped(m Map, v *value) *value {
	switch m {
	case Scale:
		return all.get(value{made: scaled, left: v})
	case Divide:
		return all.get(value{made: divided, left: v})
	}
	return v
}

// contributions lists the ranks from left to right, but no more than limit: a faulty program can make a tree whose
// leaves nobody could count.
func (v *value) contributions(limit int) []int {
	var ranks []int
	rest := []*value{v}
	for len(rest) > 0 && len(ranks) < limit {
		v, rest = rest[len(rest)-1], rest[:len(rest)-1]
		switch v.made {
		case contributed:
			ranks = append(ranks, v.rank)
		case joined:
			rest = append(rest, v.right, v.left)
		default:
			rest = append(rest, v.left)
		}
	}
	return ranks
}

// averaged says whether m was applied exactly where and as often as the average wants it, and no other map. The value
// must hold few contributions.
func (v *value) averaged(m Map) bool {
	switch v.made {
	case joined:
		return m != Divide && v.left.averaged(m) && v.right.averaged(m)
	case scaled:
		return m == Scale && v.left.made == contributed
	case divided:
		return m == Divide && v.left.averaged(Identity)
	}
	return m == Identity
}

func (v *value) String() string {
	switch v.made {
	case joined:
		return fmt.Sprintf("(%v %v)", v.left, v.right)
	case scaled:
		return fmt.Sprintf("scale(%v)", v.left)
	case divided:
		return fmt.Sprintf("divide(%v)", v.left)
	}
	return fmt.Sprintf("x%d", v.rank)
}

// wrong compares a result with what it must hold: these ranks' contributions, once each, in this order, averaged so.
func (v *value) wrong(want []int, average Map) (kind error, what string) {
	have := v.contributions(len(want) + 1)
	times := make(map[int]int, len(have))
	for _, r := range have {
		times[r]++
	}
	text := "it holds " + list("x%d", have)
	for _, r := range want {
		if times[r] > 1 {
			return ErrDouble, text
		}
	}
	for _, r := range want {
		if times[r] == 0 {
			return ErrMissing, fmt.Sprintf("%s, but not x%d", text, r)
		}
	}
	if len(have) > len(want) {
		return ErrDouble, text
	}
	for i, r := range want {
		if have[i] != r {
			return ErrOrder, text
		}
	}
	if !v.averaged(average) {
		return ErrAverage, fmt.Sprintf("it holds %v", v)
	}
	return nil, ""
}

// checkResults looks at every slice of every output.
func (m *machine) checkResults(want []int, average Map) error {
	right := map[*value]bool{}
	for c := range m.slices {
		for k := range m.slices[c] {
			first := m.ranks[0].output[c][k].value
			for r := range m.ranks {
				at := &m.ranks[r].output[c][k]
				kind, what := ErrMissing, "the output was never written"
				if at.value != nil {
					kind = nil
					if !right[at.value] {
						kind, what = at.value.wrong(want, average)
					}
					if kind == nil && at.value != first {
						kind, what = ErrDiffers, fmt.Sprintf("it holds %v, rank 0 holds %v", at.value, first)
					}
				}
				if kind != nil {
					return m.faultAt(kind, r, at.writer, k, "chunk %d: %s", c, what)
				}
				right[at.value] = true
			}
		}
	}
	return nil
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
