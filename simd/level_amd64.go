//go:build !race && !purego

package simd

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// needs lists what the assembly of each level uses. cpuid reports a feature only if the operating system saves the registers that belong to it.
var needs = [...][]cpuid.FeatureID{
	Generic: nil,
	AVX2:    {cpuid.AVX, cpuid.AVX2, cpuid.F16C},
	AVX512:  {cpuid.AVX, cpuid.AVX2, cpuid.F16C, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.BMI2},
}

// lacks names what is missing for l, "" if nothing is.
func lacks(l Level) string {
	var missing []string
	for _, f := range needs[l] {
		if !cpuid.CPU.Supports(f) {
			missing = append(missing, f.String())
		}
	}
	if missing == nil {
		return ""
	}
	return strings.Join(missing, ", ") + " in the CPU and the operating system"
}
