package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcomm/bench/compare/measure"
	"hcomm/bench/compare/results"
)

var (
	collectives = []string{"allreduce", "reduce", "broadcast", "allgather", "reducescatter", "alltoall", "barrier", "message"}
	memories    = []string{"malloc", "alloc", "register"}

	// With --preload there are no messages, for they are not served, and there is no memory of hcomm's own.
	preloadCollectives = []string{"allreduce", "reduce", "broadcast", "allgather", "reducescatter", "alltoall", "barrier", "iallreduce"}
	preloadMemories    = []string{"malloc", "alloc"}
)

// all are the collectives and the kinds of memory that there are.
func (f *flags) all() (names, kinds []string) {
	if f.preload {
		return preloadCollectives, preloadMemories
	}
	return collectives, memories
}

const (
	mostRanks = 64
	mostBytes = 1 << 30
)

// keys are what is to be measured.
func (f *flags) keys() (keys []results.Key, err error) {
	allNames, allKinds := f.all()
	names, err := chosen("--collectives", f.collectives, allNames)
	if err != nil {
		return nil, err
	}
	kinds, err := chosen("--memory", f.memory, allKinds)
	if err != nil {
		return nil, err
	}
	for _, n := range f.ranks {
		if n < 1 || n > mostRanks {
			return nil, fmt.Errorf("--ranks has %d; it must be 1 to %d", n, mostRanks)
		}
	}
	switch {
	case f.full:
		return product(or(names, allNames), or(f.ranks, []int{2, 4, 8}), or(kinds, allKinds)), nil
	case names == nil && kinds == nil && f.ranks == nil && !f.preload:
		keys = product(collectives, []int{2}, []string{"malloc"})
		return append(keys, results.Key{Collective: "allreduce", Ranks: 2, Memory: "alloc"},
			results.Key{Collective: "allreduce", Ranks: 4, Memory: "malloc"}), nil
	}
	keys = product(or(names, allNames), or(f.ranks, []int{2}), or(kinds, []string{"malloc"}))
	if len(keys) == 0 {
		err = errors.New("messages are measured between 2 ranks only")
	}
	return keys, err
}

func or[T any](list, otherwise []T) []T {
	if list == nil {
		return otherwise
	}
	return list
}

// product is all of them with all, but for what there is not: messages are between two, and a barrier has no memory.
func product(names []string, ranks []int, kinds []string) (keys []results.Key) {
	for _, n := range ranks {
		for _, kind := range kinds {
			for _, name := range names {
				if (name == "message" && n != 2) || (name == "barrier" && kind != kinds[0]) {
					continue
				}
				keys = append(keys, results.Key{Collective: name, Ranks: n, Memory: kind})
			}
		}
	}
	return keys
}

// chosen finds those of all, each once.
func chosen(flag string, names, all []string) (list []string, err error) {
	for _, name := range names {
		if name == "all" {
			return all, nil
		}
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%s has %q; there are: all, %s", flag, name, strings.Join(all, ", "))
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

// options checks the flags.
func (f *flags) options() (o measure.Options, err error) {
	if o.Keys, err = f.keys(); err != nil {
		return o, err
	}
	if f.peers, err = chosen("--peers", f.peers, measure.Peers()); err != nil {
		return o, err
	}
	if o.Least, err = size("--min", f.least); err != nil {
		return o, err
	}
	if f.most != "" {
		if o.Most, err = size("--max", f.most); err != nil {
			return o, err
		}
		if o.Most < o.Least {
			return o, fmt.Errorf("--max %s is less than --min %s", f.most, f.least)
		}
	}
	switch {
	case f.rounds < 1:
		return o, fmt.Errorf("--rounds is %d; it must be at least 1", f.rounds)
	case !(f.seconds > 0 && f.seconds <= 60):
		return o, fmt.Errorf("--seconds is %g; it must be more than 0, and at most 60", f.seconds)
	case f.limit <= 0:
		return o, fmt.Errorf("--timeout is %v; it must be more than 0", f.limit)
	}
	o.Rounds, o.Seconds, o.Limit = f.rounds, f.seconds, f.limit
	return o, nil
}

// size reads a number of bytes, which may end in K, M or G.
func size(flag, text string) (int, error) {
	digits, shift := text, 0
	for i, unit := range []string{"K", "M", "G"} {
		if number, found := strings.CutSuffix(text, unit); found {
			digits, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > mostBytes>>shift || n<<shift < 4 || n<<shift%4 != 0 {
		return 0, fmt.Errorf("%s is %q; it must be a multiple of 4, 4 to 1G", flag, text)
	}
	return n << shift, nil
}
