// Command main writes the amd64 assembly of package simd.
// It is run by go generate there, and is a module of its own so that hcomm does not depend on avo.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"

	"hcomm/simd/gen/schedule"
)

// parts are what the flag -part takes: the names of the files of assembly, and of their declarations, without _amd64.
var parts = map[string]func(){
	"copy_asm": func() {
		for _, on := range both {
			schedule.Copy(on, 1)
			schedule.Copy(on, 2)
			schedule.Stream(on)
		}
	},
	"convert_asm": func() {
		for _, on := range both {
			schedule.Conversions(on)
			schedule.Scales(on)
		}
	},
	"reduce_avx2":   func() { reductions(schedule.AVX2) },
	"reduce_avx512": func() { reductions(schedule.AVX512) },
}

var both = []schedule.ISA{schedule.AVX2, schedule.AVX512}

func reductions(on schedule.ISA) {
	for _, rs := range [][]schedule.Reduction{schedule.Integers(), schedule.WideFloats(), schedule.NarrowFloats()} {
		for _, r := range rs {
			r.Emit(on)
		}
	}
}

func main() {
	part := flag.String("part", "", "what to write: copy_asm, convert_asm, reduce_avx2 or reduce_avx512")
	flag.Parse()
	write, ok := parts[*part]
	if !ok {
		log.Fatalf("-part %q: there is no such part", *part)
	}
	build.ConstraintExpr("!race,!purego")
	write()
	build.Generate()
}
