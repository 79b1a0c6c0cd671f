package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const header = "../../include/hcomm.h"

func readText(t *testing.T) string {
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// declaredBy gives the interface of a header with this text, as if its library fitted.
func declaredBy(t *testing.T, text string) record {
	declared, err := readHeader(writeHeader(t, text))
	if err != nil {
		t.Fatal(err)
	}
	exported := facts{"library SONAME": "libhcomm.so.1"}
	for key := range declared.facts {
		if name, ok := strings.CutPrefix(key, "function "); ok {
			exported["symbol "+name] = "function"
		}
	}
	now, err := combine(declared, exported)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Each change of hcomm.h is seen as what it is, and as one that breaks programs or not.
func TestChangesOfTheHeaderAreSeen(t *testing.T) {
	text := readText(t)
	before := declaredBy(t, text)
	for _, c := range []struct {
		name, old, new string
		want           string // the keys that differ, with + for added and - for removed
		breaks         bool
	}{
		{"a comment", "A queue of calls: NULL", "A line of calls: NULL", "", false},
		{"function added", "int HCOMM_Finalize(void);", "int HCOMM_Finalize(void);\nint HCOMM_New(int);",
			"+function HCOMM_New, +symbol HCOMM_New", false},
		{"function removed", "int HCOMM_Finalize(void);", "", "-function HCOMM_Finalize, -symbol HCOMM_Finalize", true},
		{"parameter's type", "hcommCommUserRank(hcommComm_t comm, int *rank)", "hcommCommUserRank(hcommComm_t comm, long *rank)",
			"function hcommCommUserRank", true},
		{"parameter's const", "hcommCommInitAll(hcommComm_t *comms, int ndev, const int *devlist)",
			"hcommCommInitAll(hcommComm_t *comms, int ndev, int *devlist)", "function hcommCommInitAll", true},
		{"parameter's name", "HCOMM_Initialized(int *flag)", "HCOMM_Initialized(int *is)", "", false},
		{"parameter added", "HCOMM_Barrier(HCOMM_Comm comm)", "HCOMM_Barrier(HCOMM_Comm comm, int flags)", "function HCOMM_Barrier", true},
		{"result's type", "double HCOMM_Wtime", "float HCOMM_Wtime", "function HCOMM_Wtime", true},
		{"enumerator renumbered", "hcommAvg = 4", "hcommAvg = 5", "constant hcommAvg", true},
		{"enumerator of an unnamed enum renumbered", "HCOMM_ERR_TIMEOUT = 65", "HCOMM_ERR_TIMEOUT = 66", "constant HCOMM_ERR_TIMEOUT", true},
		{"enumerator added", "hcommUint16 = 65", "hcommUint16 = 65, hcommInt4 = 66", "+constant hcommInt4", false},
		{"enumerator removed", "  hcommHalf = 6,\n", "", "-constant hcommHalf", true},
		{"enum widened", "hcommLogicalXor = 69", "hcommLogicalXor = 69, hcommHuge = 1l << 40", "+constant hcommHuge, enum hcommRedOp_t", true},
		{"field added", "  int HCOMM_internal[5];", "  int HCOMM_internal[5];\n  int HCOMM_more;",
			"+field HCOMM_Status.HCOMM_more, struct HCOMM_Status", true},
		{"field added where there is room", "  int HCOMM_internal[5];", "  int HCOMM_internal[4];\n  int HCOMM_more;",
			"field HCOMM_Status.HCOMM_internal, +field HCOMM_Status.HCOMM_more", true},
		{"fields exchanged", "  int HCOMM_SOURCE;\n  int HCOMM_TAG;", "  int HCOMM_TAG;\n  int HCOMM_SOURCE;",
			"field HCOMM_Status.HCOMM_SOURCE, field HCOMM_Status.HCOMM_TAG", true},
		{"array longer", "HCOMM_UNIQUE_ID_BYTES 128", "HCOMM_UNIQUE_ID_BYTES 256",
			"field hcommUniqueId.internal, macro HCOMM_UNIQUE_ID_BYTES, struct hcommUniqueId", true},
		{"alignment", "} hcommUniqueId;", "} __attribute__((aligned(8))) hcommUniqueId;", "struct hcommUniqueId", true},
		{"struct added", "typedef int64_t HCOMM_Count;", "typedef int64_t HCOMM_Count;\ntypedef struct { int a; } hcommPlace_t;",
			"+field hcommPlace_t.a, +struct hcommPlace_t", false},
		{"type narrower", "typedef int64_t HCOMM_Count;", "typedef int32_t HCOMM_Count;", "type HCOMM_Count", true},
		{"handle of another kind", "typedef struct hcommStream *hcommStream_t;", "typedef void *hcommStream_t;", "type hcommStream_t", true},
		{"macro's value", "HCOMM_UNDEFINED (-32766)", "HCOMM_UNDEFINED (-32767)", "macro HCOMM_UNDEFINED", true},
		{"macro's type", "HCOMM_MAX ((HCOMM_Op)0x23)", "HCOMM_MAX ((HCOMM_Datatype)0x23)", "macro HCOMM_MAX", true},
		{"macro's spelling", "HCOMM_MAX ((HCOMM_Op)0x23)", "HCOMM_MAX ((HCOMM_Op)(0x20 + 3))", "", false},
		{"macro removed", "#define HCOMM_LXOR ((HCOMM_Op)0x32)\n", "", "-macro HCOMM_LXOR", true},
		{"macro that is no value", "#define HCOMM_MAJOR", "#define HCOMM_WORD static\n#define HCOMM_MAJOR", "+macro HCOMM_WORD", false},
		{"macro with parameters", "((major) * 10000 +", "((major) * 20000 +", "macro HCOMM_VERSION(major,minor,patch)", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(text, c.old) != 1 {
				t.Fatalf("hcomm.h has %q %d times", c.old, strings.Count(text, c.old))
			}
			found := compare(before.facts, declaredBy(t, strings.Replace(text, c.old, c.new, 1)).facts)
			if have := keysOf(found); have != c.want {
				t.Errorf("found %q, not %q", have, c.want)
			}
			if breaks := slices.ContainsFunc(found, func(d difference) bool { return d.breaks }); breaks != c.breaks {
				t.Errorf("breaks programs: %v", breaks)
			}
		})
	}
}

func keysOf(found []difference) string {
	var keys []string
	for _, d := range found {
		switch {
		case d.before == "":
			keys = append(keys, "+"+d.key)
		case d.after == "":
			keys = append(keys, "-"+d.key)
		default:
			keys = append(keys, d.key)
		}
	}
	return strings.Join(keys, ", ")
}

func TestVersionIsTheHeaders(t *testing.T) {
	part := regexp.MustCompile(`(#define HCOMM_(?:MAJOR|MINOR|PATCH)) \d+`)
	next := 3
	text := part.ReplaceAllStringFunc(readText(t), func(line string) string {
		next++
		return part.ReplaceAllString(line, fmt.Sprintf("$1 %d", next))
	})
	declared, err := readHeader(writeHeader(t, text))
	if want := (version{4, 5, 6}); err != nil || declared.version != want {
		t.Errorf("version %s, not %s (%v)", declared.version, want, err)
	}
}

func writeHeader(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "hcomm.h")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHeaderThatDoesNotCompileIsAnError(t *testing.T) {
	if _, err := readHeader(writeHeader(t, "no_such_type f(void);\n")); err == nil || !strings.Contains(err.Error(), "no_such_type") {
		t.Errorf("the error is %v", err)
	}
}

// What C can say, the facts can.
func TestSpelling(t *testing.T) {
	declared, err := readHeader(writeHeader(t, `
#define TEXT "a\n"
#define HALF 0.5
#define BIG 0xffffffffffffffffu
struct point { int x, y : 3, z : 5; const char *const name; };
union word { char bytes[4]; int number; };
enum color { RED = -1, GREEN };
typedef struct { struct { short a; union { int b; float c; }; } inner[2]; } nested;
typedef int (*callback)(void *context, const struct point *p, ...);
typedef struct point point_t;
void sort(callback by, int (*rows)[3], enum color c);
callback choose(void);
static inline int hidden(void) { return 0; }
`))
	if err != nil {
		t.Fatal(err)
	}
	want := facts{
		"constant RED": "-1, enum color", "constant GREEN": "0, enum color", "enum color": "size 4, alignment 4",
		"field point.x": "int, 4 bytes at 0", "field point.y": "int, 3 bits at bit 32", "field point.z": "int, 5 bits at bit 35",
		"field point.name": "const char *const, 8 bytes at 8", "struct point": "size 16, alignment 8",
		"field word.bytes": "char [4], 4 bytes at 0", "field word.number": "int, 4 bytes at 0", "union word": "size 4, alignment 4",
		"field nested.inner": "struct { a short int, 2 bytes at 0;  union { b int, 4 bytes at 0; c float, 4 bytes at 0 }, " +
			"4 bytes at 4 } [2], 16 bytes at 0",
		"struct nested":   "size 16, alignment 4",
		"type callback":   "int (*)(void *, const struct point *, ...), size 8, alignment 8",
		"type point_t":    "struct point, size 16, alignment 8",
		"function sort":   "void (callback, int (*)[3], enum color)",
		"function choose": "callback (void)",
		"macro TEXT":      `"a\n\x00", const char [3]`, "macro HALF": "0.5, double", "macro BIG": "18446744073709551615, long unsigned int",
	}
	if !maps.Equal(declared.facts, want) {
		t.Errorf("not as wanted:\n%s", list(compare(want, declared.facts)))
	}
}
