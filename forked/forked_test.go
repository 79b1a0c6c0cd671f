package forked

import "testing"

func TestTable(t *testing.T) {
	for _, fd := range []int{0, 63, 64, 65535} {
		Track(fd)
		if Table[fd/64]>>(fd%64)&1 != 1 {
			t.Errorf("descriptor %d is not in the table", fd)
		}
	}
	Untrack(63)
	if Table[0] != 1 {
		t.Errorf("after taking 63 off, the first word is %#x", Table[0])
	}
	for _, fd := range []int{-1, 65536, 1 << 40} {
		Track(fd)
		Untrack(fd)
	}
}
