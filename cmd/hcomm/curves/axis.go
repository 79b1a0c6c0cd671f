package curves

import (
	"fmt"
	"math"
)

// Axis is what the numbers along it are.
type Axis uint8

// The axes.
const (
	Bytes Axis = iota
	Ranks
	Seconds
)

// base is what a step of the axis multiplies by.
func (a Axis) base() float64 {
	if a == Seconds {
		return 10
	}
	return 2
}

func (a Axis) title() string {
	return [...]string{Bytes: "bytes", Ranks: "ranks", Seconds: "time"}[a]
}

// name is that of a number at the axis.
func (a Axis) name(v float64) string {
	switch a {
	case Bytes:
		return scaled(v, 1024, "", " KiB", " MiB", " GiB", " TiB", " PiB")
	case Seconds:
		return scaled(v*1e9, 1000, " ns", " µs", " ms", " s")
	}
	return fmt.Sprintf("%.0f", v)
}

// scaled is a number in the largest of the units, each so many times the one before, that it fills.
func scaled(v, times float64, units ...string) string {
	i := 0
	for v >= times*(1-1e-9) && i < len(units)-1 {
		v, i = v/times, i+1
	}
	return fmt.Sprintf("%.4g%s", v, units[i])
}

// span is the numbers that an axis shows.
type span struct{ least, most float64 }

func (s *span) empty() bool { return s.most == 0 }

func (s *span) include(v float64) {
	if s.empty() {
		s.least, s.most = v, v
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
}

// round widens the span to whole steps, one at least.
func (s *span) round(a Axis) {
	first := math.Floor(logarithm(s.least, a.base()) + 1e-9)
	last := math.Ceil(logarithm(s.most, a.base()) - 1e-9)
	if last == first {
		last++
	}
	s.least, s.most = math.Pow(a.base(), first), math.Pow(a.base(), last)
}

func logarithm(v, base float64) float64 { return math.Log(v) / math.Log(base) }

// at is where a number is, 0 to 1.
func (s *span) at(v float64) float64 { return math.Log(v/s.least) / math.Log(s.most/s.least) }

// ticks are the steps, or every other one and so on if there are many; of one or two decades 2 and 5 times them, too.
func (s *span) ticks(a Axis) (ticks []float64) {
	steps := int(math.Round(logarithm(s.most/s.least, a.base())))
	if a.base() == 10 && steps <= 2 {
		for i := range steps {
			decade := s.least * math.Pow(10, float64(i))
			ticks = append(ticks, decade, 2*decade, 5*decade)
		}
		return append(ticks, s.most)
	}
	every := 1 + (steps-1)/12
	for i := 0; i <= steps; i += every {
		ticks = append(ticks, s.least*math.Pow(a.base(), float64(i)))
	}
	return ticks
}
