//go:build !race && !purego

package simd

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestNeeds holds the levels to what the generator says that the assembly requires. Every processor of this architecture that has AVX has CMOV and what is called MMX+.
func TestNeeds(t *testing.T) {
	required := regexp.MustCompile(`// Requires: (.*)\nTEXT ·(\w+?)(AVX2|AVX512)\(`)
	files, _ := filepath.Glob("*_amd64.s")
	functions := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range required.FindAllSubmatch(text, -1) {
			functions++
			l := AVX2
			if string(m[3]) == "AVX512" {
				l = AVX512
			}
			for name := range strings.SplitSeq(string(m[1]), ", ") {
				if name != "CMOV" && name != "MMX+" && !slices.ContainsFunc(needs[l], func(f cpuid.FeatureID) bool { return f.String() == name }) {
					t.Errorf("%s%s requires %s, which level %s does not ask for", m[2], m[3], name, l)
				}
			}
		}
	}
	if functions < len(reductions) {
		t.Errorf("%d functions in %v say what they require", functions, files)
	}
	for _, f := range needs[AVX2] { // the kernels of AVX-512 leave short operands to those of AVX2
		if !slices.Contains(needs[AVX512], f) {
			t.Errorf("level %s does not ask for %s", AVX512, f)
		}
	}
}

// TestAssemblyIsThere finds a kernel that is missing in a table: what the tests would then test is the twin.
func TestAssemblyIsThere(t *testing.T) {
	levels(t, func(t *testing.T) {
		eachKernel(func(typ Type, o Op) {
			if got := KernelFor(typ, o).assembly != nil; got != (level > Generic) {
				t.Errorf("%s of %s in assembly: %t", o, typ, got)
			}
		})
		for _, c := range conversionPairs {
			if got := differ(ConversionFor(c.to, c.from), conversions[Generic][c.to.index()][c.from.index()]); got != (level > Generic) {
				t.Errorf("%s to %s in assembly: %t", c.from, c.to, got)
			}
		}
		for _, typ := range Types() {
			if got := differ(Scale(typ), scales[Generic][typ.index()]); got != (level > Generic && isFloat(typ)) {
				t.Errorf("Scale of %s in assembly: %t", typ, got)
			}
		}
	})
}

func differ(f, g any) bool { return reflect.ValueOf(f).Pointer() != reflect.ValueOf(g).Pointer() }
