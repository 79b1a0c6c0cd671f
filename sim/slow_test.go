//go:build slow

package sim

import (
	"testing"
	"time"
)

// The largest fat tree that 4,096 ranks fill.
func TestThousandsOfRanks(t *testing.T) { ranks(t, 26, 4096, time.Minute) }
