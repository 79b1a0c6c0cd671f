package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Setting is one variable.
type Setting struct {
	Name    string
	Default string // as it would be written; "" means unset
	Range   string // for people
	Help    string // one line
	Agreed  bool   // rank 0's value is everyone's
}

// Table is all of them. Those without a Default belong to the launcher.
var Table = []Setting{
	{Name: "HCOMM_RANK", Range: "0 to HCOMM_SIZE-1", Help: "this process's rank, for hcommCommInitEnv"},
	{Name: "HCOMM_SIZE", Range: "1 to 4096", Help: "how many ranks there are"},
	{Name: "HCOMM_LOCAL_RANK", Range: "0 to HCOMM_SIZE-1", Help: "set by hcomm run for programs that choose a device by it; not read by the library"},
	{Name: "HCOMM_ROOT", Range: "host:port", Help: "where rank 0 listens and the others come to"},
	{Name: "HCOMM_PORT", Range: "1 to 65535", Help: "the port to meet at under torchrun, not MASTER_PORT; otherwise derived from the job's variables"},
	{Name: "HCOMM_SECRET", Range: "any text", Help: "what every rank must know to be let in; without it, the same user is enough"},
	{Name: "HCOMM_LIBRARY", Range: "a path", Help: "the libhcomm.so that the package for Python loads; not read by the library"},
	{Name: "HCOMM_INIT_TIMEOUT", Default: "120", Range: "seconds, 0.01 to 86400", Help: "how long a rank waits for the others at start"},
	{Name: "HCOMM_SPIN", Default: "auto", Range: "auto, or microseconds, 0 to 10000000", Help: "how long a waiting rank spins before it sleeps; auto: 20000 while every rank has a core, else 0"},
	{Name: "HCOMM_SIMD", Default: "auto", Range: "auto, generic, avx2, avx512", Help: "the instructions that reductions use"},
	{Name: "HCOMM_SLOT_BYTES", Default: "32768", Range: "4096 to 1048576, a multiple of 4096", Help: "size of the shared buffers between two ranks of a host", Agreed: true},
	{Name: "HCOMM_SLOTS", Default: "4", Range: "1 to 64", Help: "how many such buffers a rank has on each channel", Agreed: true},
	{Name: "HCOMM_ALGO", Range: "collective:algorithm,…", Help: "the algorithms to use, such as allreduce:ring,reduce:chain; hcomm plan list shows all", Agreed: true},
	{Name: "HCOMM_DETERMINISTIC", Default: "0", Range: "0 or 1", Help: "1: reductions are ((x0 op x1) op x2)… whatever the size and algorithm, and narrow floats are rounded once", Agreed: true},
}

// Values are what the environment says.
type Values struct {
	InitTimeout time.Duration
	Spin        time.Duration // negative: auto
	SIMD        string        // "auto" or a level
	SlotBytes   int
	Slots       int

	Algo          string // as it was written
	Deterministic bool

	// Said are the settings on which all ranks must agree and that the environment has, as they were written.
	Said map[string]string
}

// Error names a variable, its value and the rule that it breaks.
type Error struct{ Name, Value, Rule string }

func (e *Error) Error() string {
	return fmt.Sprintf("%s=%s: it must be %s", e.Name, e.Value, e.Rule)
}

// Load reads all settings; getenv returns "" for a variable that is not set.
func Load(getenv func(string) string) (Values, error) {
	l := loader{getenv: getenv}
	v := Values{
		InitTimeout: time.Duration(l.number("HCOMM_INIT_TIMEOUT", 0.01, 86400) * float64(time.Second)),
		Spin:        -1,
		SIMD:        l.word("HCOMM_SIMD", "auto", "generic", "avx2", "avx512"),
		SlotBytes:   int(l.whole("HCOMM_SLOT_BYTES", 4096, 1<<20, 4096)),
		Slots:       int(l.whole("HCOMM_SLOTS", 1, 64, 1)),

		Algo:          l.text("HCOMM_ALGO"),
		Deterministic: l.word("HCOMM_DETERMINISTIC", "0", "1") == "1",
		Said:          map[string]string{},
	}
	for _, s := range Table {
		if text := getenv(s.Name); text != "" && s.Agreed {
			v.Said[s.Name] = text
		}
	}
	if l.text("HCOMM_SPIN") != "auto" {
		v.Spin = time.Duration(l.whole("HCOMM_SPIN", 0, 1e7, 1)) * time.Microsecond
	}
	return v, l.err
}

// Adopt makes the settings on which all ranks must agree those that rank 0 has said.
func (v Values) Adopt(said map[string]string) (Values, error) {
	theirs, err := Load(func(name string) string { return said[name] })
	v.SlotBytes, v.Slots, v.Algo, v.Deterministic = theirs.SlotBytes, theirs.Slots, theirs.Algo, theirs.Deterministic
	return v, err
}

// Effective is what a setting amounts to where said has been said.
func Effective(name string, said map[string]string) string {
	if text, ok := said[name]; ok {
		return text
	}
	return find(name).Default
}

// loader keeps the first error.
type loader struct {
	getenv func(string) string
	err    error
}

func find(name string) Setting {
	for _, s := range Table {
		if s.Name == name {
			return s
		}
	}
	panic("settings: no such variable in the table: " + name)
}

func (l *loader) text(name string) string {
	if v := l.getenv(name); v != "" {
		return v
	}
	return find(name).Default
}

func (l *loader) refuse(name, value string) {
	if l.err == nil {
		l.err = &Error{name, value, find(name).Range}
	}
}

func (l *loader) number(name string, lo, hi float64) float64 {
	v := l.text(name)
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= lo && f <= hi) {
		l.refuse(name, v)
		return lo
	}
	return f
}

func (l *loader) whole(name string, lo, hi, multiple int64) int64 {
	v := l.text(name)
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < lo || n > hi || n%multiple != 0 {
		l.refuse(name, v)
		return lo
	}
	return n
}

func (l *loader) word(name string, words ...string) string {
	v := l.text(name)
	for _, w := range words {
		if v == w {
			return v
		}
	}
	l.refuse(name, v)
	return words[0]
}
