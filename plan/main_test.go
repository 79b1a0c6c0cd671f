package plan

import (
	"os"
	"runtime/debug"
	"testing"
)

// The checks make and drop a great many small values: with fewer collections they take a quarter less time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
