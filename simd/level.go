package simd

import (
	"fmt"
	"strings"
)

// Level is a set of instructions that kernels may be made of.
type Level uint8

const (
	Generic Level = iota // the Go twins
	AVX2                 // AVX2 and F16C
	AVX512               // these, and AVX-512 F, BW, DQ, VL, and BMI2
)

var levelNames = [...]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that ParseLevel takes.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// ParseLevel is the inverse of Level.String.
func ParseLevel(s string) (Level, error) {
	for l, name := range levelNames {
		if s == name {
			return Level(l), nil
		}
	}
	return Generic, fmt.Errorf("SIMD level %q is unknown; there are: %s", s, strings.Join(levelNames[:], ", "))
}

// level is the level in use.
var level Level

func init() {
	installAssembly()
	if err := Use(BestLevel()); err != nil {
		panic(err) // BestLevel returns what has passed the same test
	}
}

// BestLevel returns the highest level that this CPU, its operating system and this build have.
func BestLevel() Level {
	for _, l := range []Level{AVX512, AVX2} {
		if lacks(l) == "" {
			return l
		}
	}
	return Generic
}

// Use makes l the level of copies and of the kernels that are asked for from then on. It is not to be called concurrently with anything of this package.
// It refuses a level that is not to be had here, and then changes nothing. At start the level is BestLevel.
func Use(l Level) error {
	if int(l) >= len(levelNames) {
		return fmt.Errorf("SIMD level %d is unknown; there are: %s", uint8(l), strings.Join(levelNames[:], ", "))
	}
	if missing := lacks(l); missing != "" {
		return fmt.Errorf("SIMD level %s needs %s; the best to be had here is %s", l, missing, BestLevel())
	}
	level = l
	return nil
}
