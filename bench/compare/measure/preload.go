package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"hcomm/bench/compare/results"
)

// Preload serves an MPI program, with the library that it has beside it.
const (
	Preload  = "build/lib/libhcomm_mpi.so"
	besideIt = "build/lib/libhcomm.so.1"
)

// FindPreload finds each of these peers in all its variants, with hcomm preloaded and without.
func FindPreload(ctx context.Context, peers []string, newer bool, say func(string)) (pairs []Pair, err error) {
	if newer {
		if err := handOver(); err != nil {
			return nil, err
		}
	}
	for _, l := range find(ctx, peers, newer, say) {
		p, err := pairWith(l)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	if pairs == nil {
		return nil, errors.New("there is no MPI that it could be preloaded to")
	}
	if err := build(ctx, pairs); err != nil {
		return nil, err
	}
	for i := range pairs {
		if err := pairs[i].Mine.serves(ctx); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

func pairWith(l Library) (Pair, error) {
	path, err := filepath.Abs(Preload)
	return Pair{l.preloaded(path), l}, err
}

// preloaded is the library with another one preloaded to its launcher and program, which in the newer Debian have it from
// the folder that they see. It is served from its first calls on, which are not measured.
func (l Library) preloaded(path string) Library {
	if l.within != nil {
		path = newerPreload + "/" + filepath.Base(Preload)
	}
	start := l.start
	l.start = func(ranks int, bound bool) []string {
		return append([]string{"env", "LD_PRELOAD=" + path, "HCOMM_MPI_AFTER=8"}, start(ranks, bound)...)
	}
	if l.Variant != "" {
		l.Variant += "-"
	}
	l.Variant += results.Preload
	return l
}

const newerPreload = "/bench/preload"

// handOver copies what is preloaded to where the newer Debian sees it.
func handOver() error {
	to := filepath.Join(folder, filepath.Base(newerPreload))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, path := range []string{Preload, besideIt} {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

var servedCalls = regexp.MustCompile(`(?m)^hcomm: allreduce +\S+ +[1-9]`)

// serves finds out whether the program's calls come to hcomm: figures of calls that are all passed on would be worth
// nothing.
func (l *Library) serves(ctx context.Context) error {
	reporting := *l
	reporting.env = append([]string{"HCOMM_MPI_REPORT=1"}, l.env...)
	j := job{Key: results.Key{Collective: "allreduce", Ranks: 2, Memory: "malloc"}, library: &reporting, least: 8, most: 8,
		seconds: 0.001, limit: time.Minute}
	if _, err := j.run(ctx); err != nil {
		return fmt.Errorf("%s: %w", l.Title(), err)
	}
	if !servedCalls.MatchString(j.complaint) {
		return fmt.Errorf("%s: its report has no call that was served%s", l.Title(), indented(j.complaint))
	}
	return nil
}
