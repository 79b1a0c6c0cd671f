//go:build cgo

package main

import "slices"

// A result is what a pair was measured to be: two computations of the same in turns.
type result struct {
	What      string  `json:"what"`
	Type      string  `json:"type"`
	Op        string  `json:"op"`
	Bytes     int     `json:"bytes"`
	Mine      string  `json:"mine"`
	Other     string  `json:"other"`
	MineGBps  float64 `json:"mine_gbps"` // the medians of all rounds, in 10^9 bytes a second
	OtherGBps float64 `json:"other_gbps"`
	Ratio     float64 `json:"ratio"` // of the speeds: the median of the rounds' ratios, and the extremes
	Lowest    float64 `json:"lowest"`
	Highest   float64 `json:"highest"`
	Rounds    int     `json:"rounds"`
}

func (c *contest) results() (all []result) {
	for _, p := range c.pairs {
		ratios := make([]float64, len(p.mineTimes))
		for i := range ratios {
			ratios[i] = p.otherTimes[i] / p.mineTimes[i]
		}
		all = append(all, result{
			What: c.what, Type: c.typ, Op: c.op, Bytes: c.bytes, Mine: p.mine.name, Other: p.other.name,
			MineGBps: 1 / median(p.mineTimes), OtherGBps: 1 / median(p.otherTimes),
			Ratio: median(ratios), Lowest: slices.Min(ratios), Highest: slices.Max(ratios), Rounds: len(ratios),
		})
	}
	return all
}

// median is that of a list that is not empty, which stays as it is.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
