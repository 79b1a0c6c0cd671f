package hmm

import "testing"

func TestMappingsAreParsed(t *testing.T) {
	for line, want := range map[string]mapped{
		"7f00-8000 rw-p 00000000 00:00 0 ":                             {0x7f00, 0x8000, "rw-p", 0, 0, ""},
		"7f00-8000 r--p 00001000 fe:01 123      /a file (deleted)":     {0x7f00, 0x8000, "r--p", 0x1000, 123, "/a file (deleted)"},
		"7f00-8000 rw-p 00000000 00:00 0                       [heap]": {0x7f00, 0x8000, "rw-p", 0, 0, "[heap]"},
	} {
		if m, err := parseMapping([]byte(line), 0); err != nil || m != want {
			t.Errorf("%q: %+v, %v", line, m, err)
		}
	}
	for _, line := range []string{"", "what", "7f00-8000 rw-p", "7f00-g rw-p 0 0 0"} {
		if m, err := parseMapping([]byte(line), 0); err == nil {
			t.Errorf("%q: %+v", line, m)
		}
	}
	n := 0
	if err := eachMapping(0, func(mapped) bool { n++; return true }); err != nil || n < 5 {
		t.Errorf("%d mappings, %v", n, err)
	}
}
