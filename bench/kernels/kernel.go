package main

import "hcomm/simd"

// kernel are the forms of a reduction that package simd has; nil where there is none.
type kernel struct {
	reduce, stream   func(dst, a, b []byte)
	reduce2, stream2 func(dst, dst2, a, b []byte)
}

func kernelFor(t simd.Type, o simd.Op) kernel {
	k := simd.KernelFor(t, o)
	if k == nil {
		return kernel{}
	}
	return kernel{k.Reduce, k.ReduceStream, k.Reduce2, k.Reduce2Stream}
}

// twinFor gives the kernel in Go.
func twinFor(t simd.Type, o simd.Op) kernel {
	use(simd.Generic)
	defer use(simd.BestLevel())
	return kernelFor(t, o)
}

// use changes to a level that is there.
func use(l simd.Level) {
	if err := simd.Use(l); err != nil {
		panic(err)
	}
}
