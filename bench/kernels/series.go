//go:build cgo

package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"hcomm/simd"
)

// A series is all that is measured, one contest after the other.
type series struct {
	what     []string
	types    []simd.Type
	ops      []simd.Op
	sizes    []int // bytes
	rounds   int
	least    time.Duration // of a measurement
	progress io.Writer     // nil: nobody looks
}

func (s *series) run() (results []result, err error) {
	m, err := newMemory(slices.Max(s.sizes))
	if err != nil {
		return nil, fmt.Errorf("no memory for buffers of %s: %w", size(slices.Max(s.sizes)), err)
	}
	defer m.free()
	for _, kind := range kinds {
		if !slices.Contains(s.what, kind.name) {
			continue
		}
		for _, bytes := range s.sizes {
			for _, c := range kind.contests(request{m, bytes, s.types, s.ops}) {
				s.say("%s %s %s, %s", c.what, c.typ, c.op, size(bytes))
				if err := c.measure(m, s.rounds, s.least); err != nil {
					s.say("")
					return nil, err
				}
				results = append(results, c.results()...)
			}
		}
	}
	s.say("")
	return results, nil
}

// say replaces the line of progress.
func (s *series) say(format string, args ...any) {
	if s.progress != nil {
		fmt.Fprintf(s.progress, "\r\033[K"+format, args...)
	}
}
