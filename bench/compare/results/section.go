package results

import (
	"cmp"
	"slices"
)

// A Key is what is measured at a time.
type Key struct {
	Collective string `json:"collective"`
	Ranks      int    `json:"ranks"`
	Memory     string `json:"memory"`
	Under      string `json:"under,omitempty"` // the MPI whose programs were run with hcomm preloaded, and without
}

// Key is what the row is about.
func (r *Row) Key() Key {
	k := Key{Collective: r.Collective, Ranks: r.Ranks, Memory: r.Memory}
	if isPreloaded(r.Pair) {
		k.Under = r.Library
	}
	return k
}

// mine tells whether it is hcomm's, rather than the other's of the pair.
func (r *Row) mine() bool { return r.Library == Hcomm || isPreloaded(Name(r.Library, r.Variant)) }

// A Section is what the rows of a key come to.
type Section struct {
	Key
	Rounds int      `json:"rounds"`
	Peers  []string `json:"peers"` // the names of the others that were measured, in their order
	Lines  []Line   `json:"lines"`
}

// A Line is about one size. Times are in microseconds.
type Line struct {
	Bytes int                `json:"bytes"`
	Times map[string]float64 `json:"median_us"` // by name; medians of all runs
	Way   string             `json:"direct_way,omitempty"`

	// hcomm's time by that of the library that does best, in all pairs, and in those that were made while the processors
	// of the ranks shared a cache (near) or did not (far). Under an MPI, the others are its variants.
	Ratio Ratio            `json:"ratio"`
	Near  *Ratio           `json:"ratio_near,omitempty"`
	Far   *Ratio           `json:"ratio_far,omitempty"`
	Each  map[string]Ratio `json:"ratio_to_each"`   // by the names of the others
	Limit Ratio            `json:"ratio_to_direct"` // by the direct one's
}

// A Ratio is the median of the ratios of runs that followed each other. Without pairs it is nothing.
type Ratio struct {
	Median  float64 `json:"median"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
	To      string  `json:"to"`
	Pairs   int     `json:"pairs"`
}

// A Place is where the processors of two ranks are to each other.
type Place int

const (
	Unknown Place = iota // not measured, or it has changed meanwhile
	Near                 // they share a cache
	Far
)

// farFrom is the time of a flag from which on no cache is shared: two threads of a core take 30 to 60 ns, cores with a cache
// of their own on one chip 60 to 90, and what has to leave the chip 120 to 300.
const farFrom = 100

func (r *Row) place() Place {
	switch {
	case r.FlagBefore == 0 || r.FlagAfter == 0:
		return Unknown
	case r.FlagBefore < farFrom && r.FlagAfter < farFrom:
		return Near
	case r.FlagBefore >= farFrom && r.FlagAfter >= farFrom:
		return Far
	}
	return Unknown
}

// A pair is what hcomm and another took right after each other.
type pair struct {
	mine, other float64
	place       Place
}

// Sections are made of rows, in the order in which these begin.
func Sections(rows []Row) (sections []Section) {
	var keys []Key
	of := map[Key][]Row{}
	for _, r := range rows {
		k := r.Key()
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], r)
	}
	for _, k := range keys {
		sections = append(sections, section(k, of[k]))
	}
	return sections
}

func section(k Key, rows []Row) Section {
	s := Section{Key: k}
	bySize := map[int][]Row{}
	for _, r := range rows {
		s.Rounds = max(s.Rounds, r.Round)
		if name := Name(r.Library, r.Variant); !r.mine() && name != Direct && !slices.Contains(s.Peers, name) {
			s.Peers = append(s.Peers, name)
		}
		bySize[r.Bytes] = append(bySize[r.Bytes], r)
	}
	for bytes, rows := range bySize {
		s.Lines = append(s.Lines, line(bytes, rows, s.Peers))
	}
	slices.SortFunc(s.Lines, func(a, b Line) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return s
}

func line(bytes int, rows []Row, peers []string) Line {
	rows, way := fastestWays(rows)
	l := Line{Bytes: bytes, Times: map[string]float64{}, Way: way, Each: map[string]Ratio{}}
	times := map[string][]float64{}
	for _, r := range rows {
		name := Name(r.Library, r.Variant)
		times[name] = append(times[name], r.Median)
	}
	for name, list := range times {
		l.Times[name] = median(list)
	}
	pairs := pairsOf(rows)
	l.Ratio = best(pairs, peers, nil)
	for _, peer := range peers {
		if r := ratio(peer, pairs[peer], nil); r.Pairs > 0 {
			l.Each[peer] = r
		}
	}
	if near := best(pairs, peers, new(Near)); near.Pairs > 0 {
		l.Near = &near
	}
	if far := best(pairs, peers, new(Far)); far.Pairs > 0 {
		l.Far = &far
	}
	l.Limit = ratio(Direct, pairs[Direct], nil)
	return l
}

// fastestWays leaves of each round's direct rows only the fastest, and says which way that is most often.
func fastestWays(rows []Row) (kept []Row, way string) {
	fastest := map[int]Row{}
	for _, r := range rows {
		if r.Library != Direct {
			kept = append(kept, r)
		} else if f, found := fastest[r.Round]; !found || r.Median < f.Median {
			fastest[r.Round] = r
		}
	}
	wins := map[string]int{}
	for _, r := range fastest {
		kept = append(kept, r)
		wins[r.Variant]++
	}
	for w, n := range wins {
		if n > wins[way] || (n == wins[way] && w < way) {
			way = w
		}
	}
	return kept, way
}

// pairsOf finds the pairs with each other library, by its name.
func pairsOf(rows []Row) map[string][]pair {
	type turn struct {
		round int
		name  string
	}
	mine := map[turn]Row{}
	for _, r := range rows {
		if r.mine() {
			mine[turn{r.Round, r.Pair}] = r
		}
	}
	pairs := map[string][]pair{}
	for _, r := range rows {
		m, found := mine[turn{r.Round, r.Pair}]
		if r.mine() || !found || r.Median == 0 {
			continue
		}
		p := pair{mine: m.Median, other: r.Median}
		if m.place() == r.place() {
			p.place = r.place()
		}
		name := Name(r.Library, r.Variant)
		pairs[name] = append(pairs[name], p)
	}
	return pairs
}

// best is the ratio to the library that does best, which is the largest of the medians.
func best(pairs map[string][]pair, peers []string, where *Place) (most Ratio) {
	for _, peer := range peers {
		if r := ratio(peer, pairs[peer], where); r.Pairs > 0 && r.Median > most.Median {
			most = r
		}
	}
	return most
}

// ratio looks at the pairs of a place; nil: at all.
func ratio(to string, pairs []pair, where *Place) Ratio {
	var list []float64
	for _, p := range pairs {
		if where == nil || p.place == *where {
			list = append(list, p.mine/p.other)
		}
	}
	if list == nil {
		return Ratio{}
	}
	return Ratio{median(list), slices.Min(list), slices.Max(list), to, len(list)}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
