package measure

import (
	"time"

	"hcomm/bench/compare/results"
)

// A turn is a run of hcomm, and one of another library right after it.
type turn struct {
	results.Key
	round int
	*Pair
}

func (t *turn) libraries() []*Library { return []*Library{&t.Mine, &t.Other} }

func (m *Measurement) turns() (turns []turn) {
	for _, key := range m.Keys {
		for round := 1; round <= m.Rounds; round++ {
			for i := range m.Pairs {
				turns = append(turns, turn{key, round, &m.Pairs[i]})
			}
		}
	}
	return turns
}

// Estimate is how long all of it takes.
func (m *Measurement) Estimate() time.Duration { return m.left(m.turns()) }

// left is how long these take: as long as before, or what is usual.
func (m *Measurement) left(turns []turn) (all time.Duration) {
	for _, t := range turns {
		for _, l := range t.libraries() {
			if took, known := m.took[run{t.Key, l.Title()}]; known {
				all += took
			} else {
				all += m.usual(t.Key, l)
			}
		}
	}
	return all
}

// A run is what takes about as long each time.
type run struct {
	results.Key
	library string
}

// usual is what a run takes: to start, and for each size the time it is given, or some iterations, each of which makes and
// reads its data, and, where ranks outnumber processors, waits for the scheduler.
func (m *Measurement) usual(key results.Key, l *Library) time.Duration {
	start, wait, ways := 0.05, 0.0, 1.0
	switch {
	case l.Name == results.Direct:
		ways = 2.5
	case l.Name == "openmpi":
		start = 0.3
	case l.Name == "mpich" && key.Ranks > m.Processors:
		wait = 0.004 * float64(key.Ranks)
	}
	total := start
	for bytes := m.Least; bytes <= m.most(key); bytes *= 4 {
		iteration := wait + float64(bytes)*1.3e-9*float64(key.Ranks)
		total += ways * max(m.Seconds*1.2, min(10*iteration, 5*m.Seconds+2*iteration))
	}
	return time.Duration(total * float64(time.Second))
}
