//go:build slow

package simgrid

import (
	"fmt"
	"testing"

	"hcomm/sim"
)

// As TestSimAgreesWithSMPI, for 128 ranks.
func TestSimAgreesWithSMPIOnManyRanks(t *testing.T) {
	n := network(t, "fattree:k=8")
	for _, algorithm := range []string{"ring", "rabenseifner"} {
		for _, size := range []float64{64 << 10, 64 << 20} {
			t.Run(fmt.Sprintf("%s/%.0fKiB", algorithm, size/1024), func(t *testing.T) {
				compare(t, sim.Job{Network: n, Model: model, Lanes: []sim.Lane{lane(t, n, algorithm, size)}})
			})
		}
	}
}
