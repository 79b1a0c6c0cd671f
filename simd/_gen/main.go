// Command main writes the amd64 assembly of package simd.
// It is run by go generate there, and is a module of its own so that hcomm does not depend on avo.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"hcomm/simd/gen/schedule"
)

func main() {
	build.ConstraintExpr("!race,!purego")
	for _, on := range []schedule.ISA{schedule.AVX2, schedule.AVX512} {
		for dsts := 1; dsts <= 2; dsts++ {
			schedule.Reduce(on, schedule.Sum, dsts)
			schedule.Reduce(on, schedule.Maximum, dsts)
			schedule.Copy(on, dsts)
		}
	}
	for _, on := range []schedule.ISA{schedule.AVX2, schedule.AVX512} {
		schedule.Stream(on)
	}
	build.Generate()
}
