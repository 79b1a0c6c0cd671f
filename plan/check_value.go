package plan

import (
	"fmt"
	"strings"
)

// value is the symbol that stands for the elements of one slice: a tree whose leaves are contributions. Equal trees are
// one value, so two ranks hold the same bits exactly when they hold the same pointer. Which part and slice it belongs
// to need not be said: blocks are cut the same way everywhere, and ErrMismatch catches messages that cross over.
type value struct {
	made        made
	leaf               // of contributed
	left, right *value // right is for joined only
	same        bool   // joined in the same step that joined left: nothing was rounded between
}

// leaf is a block of a rank's input.
type leaf struct {
	rank, block int // block is whole where a rank has only one
}

const whole = -1

// String names a contribution: x1, or x1[2] for rank 1's block 2.
func (l leaf) String() string {
	if l.block == whole {
		return fmt.Sprintf("x%d", l.rank)
	}
	return fmt.Sprintf("x%d[%d]", l.rank, l.block)
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

// contributions lists the leaves from left to right, but no more than limit: a faulty program can make a tree whose
// leaves nobody could count.
func (v *value) contributions(limit int) []leaf {
	var leaves []leaf
	rest := []*value{v}
	for len(rest) > 0 && len(leaves) < limit {
		v, rest = rest[len(rest)-1], rest[:len(rest)-1]
		switch v.made {
		case contributed:
			leaves = append(leaves, v.leaf)
		case joined:
			rest = append(rest, v.right, v.left)
		default:
			rest = append(rest, v.left)
		}
	}
	return leaves
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

// folded says whether the tree is ((x0 x1) x2)…, and, if it must be, made in one step. Where maps stand is for averaged to
// say.
func (v *value) folded(inOne bool) bool {
	if v.made == divided {
		v = v.left
	}
	for ; v.made == joined; v = v.left {
		if v.right.made == joined || inOne && v.left.made == joined && !v.same {
			return false
		}
	}
	return true
}

// String shows what one step has folded in one pair of brackets.
func (v *value) String() string {
	switch v.made {
	case joined:
		left := v.left.String()
		if v.same {
			left = strings.TrimSuffix(strings.TrimPrefix(left, "("), ")")
		}
		return fmt.Sprintf("(%s %v)", left, v.right)
	case scaled:
		return fmt.Sprintf("scale(%v)", v.left)
	case divided:
		return fmt.Sprintf("divide(%v)", v.left)
	}
	return v.leaf.String()
}
