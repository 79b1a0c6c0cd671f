package settings

import (
	"slices"
	"testing"
)

func TestUnknown(t *testing.T) {
	got := Unknown([]string{"PATH=/bin", "HCOMM_SLOTS=1", "HCOMM_TIMEUOT=5", "HCOMM_TEST_ROLE=x", "HCOMM_HOME=/opt", "HCOMM_SECRT=abc",
		"HCOMM_XYZZY=abc", "HCOMM_", "hcomm_slots=1", "HCOMM_ALGORITHM="})
	want := []string{
		"HCOMM_TIMEUOT=5 is no setting: did you mean HCOMM_TIMEOUT? (hcomm env lists all)",
		"HCOMM_SECRT is no setting: did you mean HCOMM_SECRET? (hcomm env lists all)",
		"HCOMM_XYZZY is no setting (hcomm env lists all)",
		"HCOMM_ is no setting (hcomm env lists all)",
		"HCOMM_ALGORITHM is no setting: did you mean HCOMM_ALGO? (hcomm env lists all)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"HCOMM_SLOT_BYTE": "HCOMM_SLOT_BYTES", "HCOMM_SLOT": "HCOMM_SLOTS", "HCOMM_DEBUGFILE": "HCOMM_DEBUG_FILE",
		"HCOMM_DEBUG_LEVEL": "HCOMM_DEBUG", "HCOMM_INITTIMEOUT": "HCOMM_INIT_TIMEOUT", "HCOMM_WARNAFTER": "HCOMM_WARN_AFTER",
		"timeout": "HCOMM_TIMEOUT", "HCOMM_DETERMINISM": "HCOMM_DETERMINISTIC", "HCOMM_DET": "HCOMM_DETERMINISTIC",
		"HCOMM_FOO": "", "HCOMM_NET": "", "HCOMM_X": "", "": "",
	} {
		if got, _ := Nearest(name); got.Name != want {
			t.Errorf("%s: %q, want %q", name, got.Name, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"AB", "BA", 1}, {"ABC", "AC", 1}, {"AC", "ABC", 1}, {"ABC", "AXC", 1}, {"KITTEN", "SITTING", 3}, {"", "AB", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"HCOMM_SLOTS", "4", " 04", true},
		{"HCOMM_SLOTS", "4", "5", false},
		{"HCOMM_SLOTS", "x", "x", true},
		{"HCOMM_SLOTS", "x", "y", false},
		{"HCOMM_DETERMINISTIC", "+1", "1", true},
		{"HCOMM_TIMEOUT", "1.50", "15e-1", true},
		{"HCOMM_SPIN", "auto", "0", false},
		{"HCOMM_ALGO", "AllReduce:ring, reduce:flat", "reduce:flat,allreduce:ring", true},
		{"HCOMM_ALGO", "reduce:flat", "reduce:Flat", false},
		{"HCOMM_ALGO", "", "", true},
		{"HCOMM_ALGO", "", ":", false},
		{"HCOMM_ROOT", "a", "A", false},
	} {
		if Same(c.name, c.a, c.b) != c.want || Same(c.name, c.b, c.a) != c.want {
			t.Errorf("%s: %q and %q are the same: %v", c.name, c.a, c.b, !c.want)
		}
	}
}
