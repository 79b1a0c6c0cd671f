package tune

import (
	"cmp"
	"fmt"
	"slices"

	"hcomm/plan"
)

// Table is what was measured, in the order of its keys.
type Table []Section

// Key says for whom a section is.
type Key struct {
	Collective plan.Collective
	Ranks      int
	Crowded    bool // the ranks are more than the processors that they may use
}

// Section is what one kind of call takes, the smallest blocks first. One without rows leaves all to the model.
type Section struct {
	Key
	Rows   []Row
	Origin string // [BuiltIn], or a file's name
}

// Row is for the blocks of some size classes (see [plan.ClassOf]).
type Row struct {
	First, Last int // class
	Algorithm   string
	Slice       int // bytes, at most; 0: as many as a slot has
}

// Limits of a table. A slice is a multiple of every element's size, and what fits an inbox entry is never cut: a call that
// takes the path in C has one slice.
const (
	MostRanks    = 4096
	LeastSlice   = 4096
	MostSlice    = 1 << 20
	mostSections = 512
)

// Find gives the row for a call.
func (t Table) Find(k Key, class int) (Row, bool) {
	i, ok := slices.BinarySearchFunc(t, k, func(s Section, k Key) int { return s.compare(k) })
	if !ok {
		return Row{}, false
	}
	for _, r := range t[i].Rows {
		if r.First <= class && class <= r.Last {
			return r, true
		}
	}
	return Row{}, false
}

// Choose picks a builder, of those that keep at least this order, and how many bytes a slice has at most, 0 for a slot's:
// what the table says, or else the model of the host; said is which.
func (t Table) Choose(k Key, class int, least plan.Order) (b plan.Builder, slice int, said bool) {
	if r, ok := t.Find(k, class); ok {
		if b, err := plan.Find(k.Collective, r.Algorithm); err == nil && b.Order >= least {
			return b, r.Slice, true
		}
	}
	return plan.ForClass(k.Collective, least, plan.Host, k.Ranks, class), 0, false
}

// Origin says where what the table has for a key comes from.
func (t Table) Origin(k Key) string {
	for _, s := range t {
		if s.Key == k {
			return s.Origin
		}
	}
	return ""
}

// Over is the table with sections of another one where it has none of its own.
func (t Table) Over(under Table) Table {
	all := slices.Clone(t)
	for _, s := range under {
		if !slices.ContainsFunc(t, func(own Section) bool { return own.Key == s.Key }) {
			all = append(all, s)
		}
	}
	all.sort()
	return all
}

func (t Table) sort() { slices.SortFunc(t, func(a, b Section) int { return a.compare(b.Key) }) }

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Collective, other.Collective), cmp.Compare(k.Ranks, other.Ranks), cmp.Compare(number(k.Crowded), number(other.Crowded)))
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// String names what a section is for.
func (k Key) String() string {
	crowd := ""
	if k.Crowded {
		crowd = ", crowded"
	}
	return fmt.Sprintf("%s of %d ranks%s", lower(k.Collective), k.Ranks, crowd)
}

// The rules, in words.
var (
	ranksRule = fmt.Sprintf("it must be 2 to %d", MostRanks)
	sliceRule = fmt.Sprintf("it must be %d to %d, a multiple of %d", LeastSlice, MostSlice, LeastSlice)
)

// fault is a rule that is broken, and by which field.
type fault struct{ field, why string }

func (f *fault) Error() string { return f.field + ": " + f.why }

// check gives the first rule that a row breaks; before is the class up to which the rows before it go, -1 if there are none.
func (r Row) check(c plan.Collective, before int) *fault {
	if _, err := plan.Find(c, r.Algorithm); err != nil {
		return &fault{fieldAlgorithm, err.Error()}
	}
	if r.Slice != 0 && (r.Slice < LeastSlice || r.Slice > MostSlice || r.Slice%LeastSlice != 0) {
		return &fault{fieldSlice, fmt.Sprintf("%d: %s", r.Slice, sliceRule)}
	}
	if r.First < 0 || r.Last >= plan.Classes || r.First > r.Last {
		return &fault{fieldUpTo, fmt.Sprintf("it must be more than %s", fieldAbove)}
	}
	if r.First <= before {
		return &fault{fieldAbove, fmt.Sprintf("a row before it has these sizes already, up to %d bytes: rows ascend", uint64(1)<<before)}
	}
	return nil
}
