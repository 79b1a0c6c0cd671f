package plan

import "testing"

// The ranges of sizes follow each other and end with the largest; a simpler builder may be a little dearer.
func TestChoices(t *testing.T) {
	for _, c := range Collectives() {
		for _, n := range []int{1, 2, 3, 4, 8, 16, 64, 300} {
			all := Choices(c, AnyOrder, Host, n)
			for i, s := range all {
				if i > 0 && (s.Class <= all[i-1].Class || s.Builder.Name == all[i-1].Builder.Name) {
					t.Errorf("%v, %d ranks: %+v", c, n, all)
				}
			}
			if all[len(all)-1].Class != Classes-1 {
				t.Errorf("%v, %d ranks: %+v", c, n, all)
			}
		}
	}
}

// Few ranks with small blocks take the programs that are exchanged in C.
func TestFewTakeTheSimplest(t *testing.T) {
	for _, c := range Collectives() {
		least := AnyOrder
		if c.Reduces() {
			least = OneFold
		}
		for _, class := range []int{0, 3, 11} {
			if b := ForClass(c, least, Host, 8, class); b.Name != Builders(c)[0].Name {
				t.Errorf("%v of 2^%d bytes among 8 ranks takes %s", c, class, b.Name)
			}
		}
	}
	if b := ForClass(AllReduce, AnyOrder, Host, 9, 11); b.Name == "direct" {
		t.Error("9 ranks take direct, too")
	}
}

func TestClassOf(t *testing.T) {
	for bytes, want := range map[uint64]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 1 << 20: 20, 1<<20 + 1: 21, 1 << 63: 63, 1<<64 - 1: 64} {
		if got := ClassOf(bytes); got != want {
			t.Errorf("ClassOf(%d) is %d, not %d", bytes, got, want)
		}
	}
}
