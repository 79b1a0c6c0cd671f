package ring

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0":                         "[] [0]",
		"0,1\n2,0":                  "[] [0 1 2 0]",
		"\ufeff , 1.5 \r\n\r\n-0,":  "[] [+Inf 1.5 0 +Inf]",
		"a,node 2\n0,inf\n 1e3,0\n": "[a node 2] [0 +Inf 1000 0]",
		"NAME: x\nTYPE : TSP\nCOMMENT: of : mine\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n" +
			"2 0 1.4\n1 0 0\n 3\t-2 +1.5e0 \nEOF\n\n": "[1 2 3] [0 1 3 1 0 2 3 2 0]",
		"DIMENSION:1\nEDGE_WEIGHT_TYPE:EUC_2D\nNODE_COORD_SECTION\n1 0 0": "[1] [0]",
	} {
		links, err := Read(strings.NewReader(text), "f")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprint(links.Names, " ", links.Cost.values); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestReadWrong(t *testing.T) {
	t.Parallel()
	head := "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n"
	for text, want := range map[string]string{
		"":                                    "f: it has no lines; it must be a matrix in CSV, or TSPLIB's EUC_2D",
		"\n \n":                               "f: it has no lines",
		"0,1\n2,x":                            `f:2: value 2 is "x"; it must be 0 to 1e300, or inf where there is no link`,
		"a,1\n2,0":                            `f:1: value 1 is "a"; it must be`,
		"0,nan\n2,0":                          `f:1: value 2 is "nan"; it must be`,
		"a,b\n0,-1\n2,0":                      `f:2: value 2 is "-1"; it must be`,
		"0,1e999\n2,0":                        `f:1: value 2 is "1e999"; it must be`,
		"0,1e301\n2,0":                        `f:1: value 2 is "1e301"; it must be`,
		"0,1\n\n2":                            "f:3: it has 1 values; it must have 2, as the first line",
		"a,b\n0,1,2\n":                        "f:2: it has 3 values; it must have 2, as the first line",
		"0,1\n2,0\n3,3":                       "f:3: it is line 3 of values; there must be as many as values in each, 2",
		"0,1\n":                               "f: it has 1 lines of values; there must be as many as values in each, 2",
		"a,b":                                 "f: it has 0 lines of values",
		"a,a\n0,1\n1,0":                       `f:1: the name "a" is there twice`,
		"a,\x1b[2J\n0,1\n1,0":                 `f:1: the name "\x1b[2J" must be text of characters that can be printed`,
		"a,x\ty\n0,1\n1,0":                    `f:1: the name "x\ty" must be text`,
		"a,\xff\n0,1\n1,0":                    `f:1: the name "\xff" must be text`,
		strings.Repeat(",", 8192):             "f:1: it has 8193 values; a ring has 8192 nodes at most",
		strings.Repeat("x", 600000):           "f:1: the line is longer than 524288 characters",
		"0,1\n" + strings.Repeat("x", 600000): "f:2: the line is longer than 524288 characters",
		"NAME: x\nTYPE: ATSP":                 `f:2: TYPE is "ATSP"; it must be TSP`,
		"DIMENSION: 0":                        `f:1: DIMENSION is "0"; it must be a whole number, 1 to 8192`,
		"DIMENSION: 8193":                     `f:1: DIMENSION is "8193"`,
		"EDGE_WEIGHT_TYPE: GEO":               `f:1: EDGE_WEIGHT_TYPE is "GEO"; it must be EUC_2D`,
		"NODE_COORD_TYPE: THREED_COORDS":      `f:1: NODE_COORD_TYPE is "THREED_COORDS"; it must be TWOD_COORDS`,
		"NAME: x\nEDGE_WEIGHT_SECTION\n":      `f:2: "EDGE_WEIGHT_SECTION" is no keyword of a file with EUC_2D`,
		"NAME: x\nEOF":                        "f:2: there is no NODE_COORD_SECTION",
		"NODE_COORD_SECTION\n":                "f:1: DIMENSION must be said before NODE_COORD_SECTION",
		"DIMENSION: 2\nNODE_COORD_SECTION\n":  "f:2: EDGE_WEIGHT_TYPE must be said before NODE_COORD_SECTION",
		head:                                  "f: there is no NODE_COORD_SECTION",
		head + "NODE_COORD_SECTION\n1 0 0":    "f: NODE_COORD_SECTION has 1 nodes; it must have 2, as DIMENSION says",
		head + "NODE_COORD_SECTION\n1 0 0\n1 0 0":            "f:5: node 1 is there twice",
		head + "NODE_COORD_SECTION\n1 0 0\n3 0 0":            `f:5: the node is "3"; it must be a whole number, 1 to 2`,
		head + "NODE_COORD_SECTION\n1 0 0\n2 0 0\nEOF\nmore": "f:7: nothing may follow EOF",
		head + "NODE_COORD_SECTION\n1 0 nan":                 `f:4: the coordinate is "nan"; it must be a number, -1e100 to 1e100`,
		head + "NODE_COORD_SECTION\n1 0 1e101":               `f:4: the coordinate is "1e101"`,
		head + "NODE_COORD_SECTION\n1 0":                     "f:4: it has 2 values; it must have 3",
	} {
		if links, err := Read(strings.NewReader(text), "f"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.80q: got %v, %v, want %s", text, links, err, want)
		}
	}
	if _, err := Read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("0,1\n1,0"))), "f"); err == nil || err.Error() != "f: timeout" {
		t.Errorf("of a file that cannot be read: %v", err)
	}
}

// Whatever is in a file, it is read as a matrix that a ring can be built for, or refused with its name.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"0,1\n2,0", "a,b\n0,inf\n,0\n", "0", "0,1,2\n1,0,9e-300\n2,1e300,0", "\ufeff0,-0\r\n0,0", "0,nan\n1,0",
		"NAME: x\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1e100 1\n3 -3 4.5\nEOF\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		links, err := Read(bytes.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") || links.Cost != nil {
				t.Fatalf("%v: %v", err, links)
			}
			return
		}
		for _, v := range links.Cost.values {
			if !validCost(v) || math.Signbit(v) {
				t.Fatalf("a cost is %v", v)
			}
		}
		if r, err := Build(links, Options{}); err == nil {
			build(t, links, Options{})
		} else if !strings.Contains(err.Error(), "parts") {
			t.Fatalf("%v, %v", r, err)
		}
	})
}
