package settings

import (
	"fmt"
	"time"
)

// Values are what the settings say.
type Values struct {
	InitTimeout time.Duration
	WarnAfter   time.Duration // 0: never
	Timeout     time.Duration // 0: never
	Spin        time.Duration // negative: auto
	SIMD        string        // "auto" or a level
	SlotBytes   int
	Slots       int  // 0: auto
	CMA         bool // ranks may read each other's memory

	Algo          string // as it was written
	TuneFile      string // a path; "": the table that is built in
	Deterministic bool

	Debug     string // "warn", "info" or "trace"
	DebugFile string // as it was written; "": standard error
	Status    bool   // hcomm status is told of this process

	// Said are the settings on which all ranks must agree and that somebody has set, as they were written.
	Said map[string]string
}

// Error names a variable, its value, the rule that it breaks, and where it was set.
type Error struct{ Name, Value, Rule, Origin string }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s=%s: it must be %s", e.Name, e.Value, e.Rule)
	if e.Origin != Environment {
		text = e.Origin + ": " + text
	}
	return text
}

// Load reads all settings, from the environment and the files; getenv returns "" for a variable that is not set.
func Load(getenv func(string) string) (Values, error) { return Open(getenv).Load() }

// Load gives the values of all settings. The error is about a file, or the first value that breaks its rule.
func (sources *Sources) Load() (Values, error) {
	l := loader{sources: sources, err: sources.err}
	v := Values{
		InitTimeout: l.seconds("HCOMM_INIT_TIMEOUT"),
		WarnAfter:   l.seconds("HCOMM_WARN_AFTER"),
		Timeout:     l.seconds("HCOMM_TIMEOUT"),
		Spin:        -1,
		SIMD:        l.text("HCOMM_SIMD"),
		SlotBytes:   int(l.number("HCOMM_SLOT_BYTES")),
		Slots:       int(l.number("HCOMM_SLOTS")),
		CMA:         l.text("HCOMM_CMA") == "auto",

		Algo:          sources.Get("HCOMM_ALGO"),
		TuneFile:      sources.Get("HCOMM_TUNE_FILE"),
		Deterministic: l.number("HCOMM_DETERMINISTIC") == 1,
		Debug:         l.text("HCOMM_DEBUG"),
		DebugFile:     l.text("HCOMM_DEBUG_FILE"),
		Status:        l.number("HCOMM_STATUS") == 1,
		Said:          map[string]string{},
	}
	for _, s := range Table {
		if text := sources.Get(s.Name); text != "" && s.Agreed {
			v.Said[s.Name] = text
		}
	}
	if us := l.number("HCOMM_SPIN"); l.text("HCOMM_SPIN") != "auto" {
		v.Spin = time.Duration(us) * time.Microsecond
	}
	return v, l.err
}

// Check gives what is wrong: the first error of a file, and each value of these settings that breaks its rule.
func (sources *Sources) Check(table []Setting) []error {
	var all []error
	if sources.err != nil {
		all = append(all, sources.err)
	}
	for _, s := range table {
		l := loader{sources: sources}
		if l.value(s.Name); l.err != nil {
			all = append(all, l.err)
		}
	}
	return all
}

// Adopt makes the settings on which all ranks must agree those that rank 0 has said.
func (v Values) Adopt(said map[string]string) (Values, error) {
	theirs, err := (&Sources{getenv: func(name string) string { return said[name] }}).Load()
	v.SlotBytes, v.Slots, v.CMA = theirs.SlotBytes, theirs.Slots, theirs.CMA
	v.Algo, v.Deterministic = theirs.Algo, theirs.Deterministic
	return v, err
}

// Effective is what a setting amounts to where said has been said.
func Effective(name string, said map[string]string) string {
	if text, ok := said[name]; ok {
		return text
	}
	return find(name).Default
}

// Same says whether two ways to write a setting's value mean the same.
func Same(name, a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	r := find(name).rule
	_, first, ok := r.read(a)
	_, second, fine := r.read(b)
	return a == b || ok && fine && first == second
}

// loader keeps the first error.
type loader struct {
	sources *Sources
	err     error
}

// value reads a setting, as a number where it is one, and in the form of its rule.
func (l *loader) value(name string) (number float64, form string) {
	s := find(name)
	value, origin := l.sources.Lookup(name)
	if value == "" {
		value = s.Default
	}
	if value == "" {
		return 0, ""
	}
	number, form, ok := s.rule.read(value)
	if !ok && l.err == nil {
		l.err = &Error{name, value, s.Range, origin}
	}
	return number, form
}

func (l *loader) number(name string) float64 {
	n, _ := l.value(name)
	return n
}

func (l *loader) text(name string) string {
	_, form := l.value(name)
	return form
}

func (l *loader) seconds(name string) time.Duration {
	return time.Duration(l.number(name) * float64(time.Second))
}
