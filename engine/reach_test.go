package engine

import (
	"os"
	"testing"
	"unsafe"

	"hcomm/simd"
)

// What one rank cannot reach, nobody can; the first reason is told. What is neither is why a rank has failed.
func TestReach(t *testing.T) {
	r := reach{windows: true}
	for _, said := range []reach{{true, ""}, {false, ""}, {true, "one"}, {false, "two"}} {
		if !r.limit(said.word()) {
			t.Errorf("%+v is not understood", said)
		}
	}
	if want := (reach{false, "one"}); r != want {
		t.Errorf("together they reach %+v, not %+v", r, want)
	}
	if r.limit("no memory") {
		t.Error("a failure is taken for a reach")
	}
}

// An alltoall of much among ranks that share processors reads from the peers' memory, unless that is off.
func TestRemoteAlltoAll(t *testing.T) {
	own := ownMemory()
	for _, setting := range []string{"auto", "off"} {
		values, err := load(settingsEnv("HCOMM_CMA=" + setting))
		if err != nil {
			t.Fatal(err)
		}
		comms, err := InitAll(settingsEnv("HCOMM_CMA="+setting), 3)
		if err != nil {
			t.Fatal(err)
		}
		remote := own.refused(values, os.Getpid()) == ""
		const n = 2 << 20
		inParallel(t, comms, func(c *Comm) error {
			c.op.cuts = overcrowded
			in, out := make([]byte, 3*n), make([]byte, 3*n)
			err := c.AlltoAll(unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0]), n, simd.Uint8)
			if c.op.borrowed != remote {
				t.Errorf("HCOMM_CMA=%s: reading from peers: %v", setting, c.op.borrowed)
			}
			return err
		})
		inParallel(t, comms, (*Comm).Destroy)
	}
}
