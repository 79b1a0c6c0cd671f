package settings

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// rule says which values a setting may have: one of some words, a number, a text. The zero rule admits any text.
type rule struct {
	words    []string
	number   bool
	lo, hi   float64
	zero     bool  // 0 may be said, too
	multiple int64 // whole numbers only, and of those the multiples; 0: any number
	admits   func(string) bool
	form     func(string) string // of a text
}

func number(lo, hi float64) rule       { return rule{number: true, lo: lo, hi: hi} }
func numberOrZero(lo, hi float64) rule { return rule{number: true, lo: lo, hi: hi, zero: true} }
func words(all ...string) rule         { return rule{words: all} }
func text(admits func(string) bool) rule {
	return rule{admits: admits}
}

func whole(lo, hi float64, multiple int64) rule {
	return rule{number: true, lo: lo, hi: hi, multiple: multiple}
}

func wordsOr(r rule, all ...string) rule {
	r.words = all
	return r
}

// read gives a value as a number, where it is one, and in a form that all ways to write the same have in common.
func (r rule) read(value string) (n float64, form string, ok bool) {
	switch {
	case slices.Contains(r.words, value):
		return 0, value, true
	case r.number:
		n, ok = r.parse(strings.TrimSpace(value))
		return n, strconv.FormatFloat(n, 'f', -1, 64), ok
	case r.admits != nil:
		return 0, value, r.admits(value)
	case r.form != nil:
		return 0, r.form(value), true
	}
	return 0, value, r.words == nil
}

func (r rule) parse(digits string) (n float64, ok bool) {
	var err error
	if r.multiple > 0 {
		var i int64
		i, err = strconv.ParseInt(digits, 10, 64)
		n, ok = float64(i), i%r.multiple == 0
	} else {
		n, err = strconv.ParseFloat(digits, 64)
		ok = !math.IsNaN(n)
	}
	return n, err == nil && ok && (n >= r.lo && n <= r.hi || r.zero && n == 0)
}

// sortedChoices brings the choices of HCOMM_ALGO in one order; collectives may be written in any case.
func sortedChoices(value string) string {
	choices := strings.Split(value, ",")
	for i, c := range choices {
		collective, algorithm, _ := strings.Cut(strings.TrimSpace(c), ":")
		choices[i] = strings.ToLower(collective) + ":" + algorithm
	}
	slices.Sort(choices)
	return strings.Join(choices, ",")
}

// isPattern says whether each percent sign is one of a file name's: %h, %p or %%.
func isPattern(path string) bool {
	return !strings.Contains(strings.NewReplacer("%h", "", "%p", "", "%%", "").Replace(path), "%")
}
