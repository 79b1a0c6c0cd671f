package lanes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever is reported, the shares add up to One, none is below the bound, and two that are told the same agree.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := drawShares(t)
		a, b := NewShares(start), NewShares(start)
		number := rapid.OneOf(rapid.Int64Range(-1, 1), rapid.Int64Range(1, 1<<40), rapid.Int64())
		sample := rapid.Custom(func(t *rapid.T) Sample { return Sample{number.Draw(t, "bytes"), number.Draw(t, "ns")} })
		for range rapid.IntRange(1, 50).Draw(t, "operations") {
			before := a.Now()
			samples := rapid.SliceOfN(sample, len(start), len(start)).Draw(t, "samples")
			changed := a.Observe(samples)
			if b.Observe(samples); !slices.Equal(a.Now(), b.Now()) {
				t.Fatalf("told the same, they have %v and %v", a.Now(), b.Now())
			}
			if changed == slices.Equal(before, a.Now()) {
				t.Fatalf("Observe says %v; the shares were %v and are %v", changed, before, a.Now())
			}
			sum := uint64(0)
			for i, share := range a.Now() {
				if sum += uint64(share); int(share) < One/bound/len(start) {
					t.Fatalf("lane %d has %d", i, share)
				}
			}
			if sum != One {
				t.Fatalf("%v add up to %d", a.Now(), sum)
			}
		}
	})
}

func TestEqual(t *testing.T) {
	for _, n := range []int{1, 3, 8, 1000} {
		sum := 0
		for _, share := range Equal(n) {
			if sum += int(share); int(share) < One/n || int(share) > One/n+1 {
				t.Errorf("of %d lanes one has %d", n, share)
			}
		}
		if sum != One {
			t.Errorf("the shares of %d lanes add up to %d", n, sum)
		}
	}
}
