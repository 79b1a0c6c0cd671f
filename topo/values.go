package topo

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// value is something that can be said of a generator. String is what holds, "" if it must be said.
type value interface {
	Set(text string) error
	String() string
}

// These are values of generators.
type (
	whole     int     // must be said if it is 0
	fill      int     // 0 is as many as there can be
	bandwidth float64 // bytes a second
	limit     float64 // a bandwidth, or 0: no limit
	seconds   float64
	numbers   struct {
		list      *[]int
		separator string
	}
)

func (w *whole) Set(text string) (err error) {
	if *(*int)(w), err = strconv.Atoi(text); err != nil {
		return errors.New("it must be a whole number")
	}
	return nil
}

func (w *whole) String() string {
	if *w == 0 {
		return ""
	}
	return strconv.Itoa(int(*w))
}

func (f *fill) Set(text string) error { return (*whole)(f).Set(text) }
func (f *fill) String() string        { return (*whole)(f).String() }

func (n *numbers) Set(text string) error {
	for item := range strings.SplitSeq(text, n.separator) {
		k, err := strconv.Atoi(item)
		if err != nil {
			return fmt.Errorf("it must be whole numbers with %s between them, such as %s", n.separator, n.shape())
		}
		*n.list = append(*n.list, k)
	}
	return nil
}

func (n *numbers) String() string { return "" }
func (n *numbers) shape() string  { return "4" + n.separator + "4" }

func (b *bandwidth) Set(text string) (err error) {
	*(*float64)(b), err = ParseBandwidth(text)
	return err
}

func (b *bandwidth) String() string { return FormatBandwidth(float64(*b)) }

func (l *limit) Set(text string) error { return (*bandwidth)(l).Set(text) }

func (l *limit) String() string {
	if *l == 0 {
		return "no limit"
	}
	return FormatBandwidth(float64(*l))
}

func (s *seconds) Set(text string) (err error) {
	*(*float64)(s), err = ParseSeconds(text)
	return err
}

func (s *seconds) String() string { return FormatSeconds(float64(*s)) }

// unit is one that numbers are written in.
type unit struct {
	name string
	size float64
}

var (
	bandwidths = []unit{
		{"Tbit", 1e12 / 8}, {"Gbit", 1e9 / 8}, {"Mbit", 1e6 / 8}, {"kbit", 1e3 / 8},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
	}
	times = []unit{{"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}, {"s", 1}, {"", 1}}
)

// ParseBandwidth reads a bandwidth, in bytes or bits a second: 100Gbit, 12.5GB, 12500000000. It is above 0.
func ParseBandwidth(text string) (float64, error) {
	if b, ok := parse(text, bandwidths); ok && b > 0 {
		return b, nil
	}
	return 0, errors.New("it must be a bandwidth, such as 100Gbit or 12.5GB")
}

// ParseSeconds reads a time: 500ns, 1.5µs or 1.5us, 2ms, 0.1s. It is 0 or more.
func ParseSeconds(text string) (float64, error) {
	if s, ok := parse(text, times); ok {
		return s, nil
	}
	return 0, errors.New("it must be a time, such as 500ns or 1.5µs")
}

func parse(text string, units []unit) (float64, bool) {
	for _, u := range units {
		number, has := strings.CutSuffix(text, u.name)
		if !has {
			continue
		}
		x, err := strconv.ParseFloat(number, 64)
		if err == nil && x >= 0 && !math.IsInf(x, 0) {
			if inverse := math.Round(1 / u.size); u.size < 1 { // so that 500ns is 5e-7, not nearly so
				return x / inverse, true
			}
			return x * u.size, true
		}
	}
	return 0, false
}

// FormatBandwidth writes a bandwidth in bits a second.
func FormatBandwidth(bytes float64) string {
	if math.IsInf(bytes, 0) || bytes == 0 {
		return "no limit"
	}
	for _, u := range bandwidths[:4] {
		if bytes >= u.size || u.name == "kbit" {
			return round(bytes/u.size) + u.name
		}
	}
	return ""
}

// FormatSeconds writes a time.
func FormatSeconds(s float64) string {
	switch {
	case s == 0:
		return "0s"
	case s < 1e-6:
		return round(s*1e9) + "ns"
	case s < 1e-3:
		return round(s*1e6) + "µs"
	case s < 1:
		return round(s*1e3) + "ms"
	}
	return round(s) + "s"
}

// round writes four digits.
func round(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
