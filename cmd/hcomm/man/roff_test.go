package man

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"One\ntwo.\n\nThree":                     "One\ntwo.\n.PP\nThree\n",
		"Or\n  124  late\n       again\n  5  no": "Or\n.TP\n\\fB124\\fR\nlate\nagain\n.TP\n\\fB5\\fR\nno\n",
		"--a  one:\n      b   two\n      c d  three\n--e  four\n\nEnd": ".TP\n\\fB\\-\\-a\\fR\none:\n.RS\n.TP\n\\fBb\\fR\ntwo\n.TP\n\\fBc d\\fR\nthree\n" +
			".RE\n.TP\n\\fB\\-\\-e\\fR\nfour\n.PP\nEnd\n",
		"'x' \\ .\n.y": "\\(aqx\\(aq \\e .\n\\&.y\n",
	} {
		var b strings.Builder
		if prose(&b, text); b.String() != want {
			t.Errorf("%q: got %q, want %q", text, b.String(), want)
		}
	}
}
