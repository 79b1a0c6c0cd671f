package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hcomm/settings"
)

// story is a file that was read.
type story struct {
	path     string
	told     string // all up to what is expected
	ranks    int
	env      []string
	needs    []string
	slow     bool
	deadline int // seconds
	lines    []line
	expected string
}

// line is what is told at once.
type line struct {
	number int
	steps  []step
}

// step is one command for some threads.
type step struct {
	who     []thread
	command string
}

// thread is one of a rank's; the first is that of main.
type thread struct{ rank, number int }

// String is how stories call it.
func (t thread) String() string {
	if t.number == 1 {
		return strconv.Itoa(t.rank)
	}
	return fmt.Sprintf("%d/%d", t.rank, t.number)
}

const between = "----\n"

func readStory(path string) (*story, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseStory(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	s.path = path
	return s, nil
}

func parseStory(text string) (*story, error) {
	told, expected, _ := strings.Cut(text, between)
	s := &story{told: told, expected: expected, deadline: 20}
	for i, text := range strings.Split(told, "\n") {
		if err := s.parseLine(i+1, strings.TrimSpace(text)); err != nil {
			return nil, fmt.Errorf("%d: %q: %w", i+1, text, err)
		}
	}
	if s.ranks == 0 || len(s.lines) == 0 {
		return nil, fmt.Errorf("1: no ranks, or nothing for them to do")
	}
	return s, nil
}

func (s *story) parseLine(number int, text string) (err error) {
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case word == "" || word[0] == '#':
	case word == "ranks":
		s.ranks, err = numberUpTo(8, rest)
	case word == "env":
		s.env = append(s.env, rest)
	case word == "needs":
		s.needs = append(s.needs, rest)
	case word == "slow":
		s.slow = true
	case word == "deadline":
		s.deadline, err = numberUpTo(60, rest)
	default:
		l := line{number: number}
		for part := range strings.SplitSeq(text, ";") {
			st, err := s.parseStep(part)
			if err != nil {
				return err
			}
			l.steps = append(l.steps, st)
		}
		s.lines = append(s.lines, l)
	}
	return err
}

func (s *story) parseStep(text string) (st step, err error) {
	who, command, ok := strings.Cut(text, ":")
	st.command = strings.Join(strings.Fields(command), " ")
	if !ok || st.command == "" {
		return st, fmt.Errorf("it must be RANKS: COMMAND")
	}
	if strings.TrimSpace(who) == "all" {
		for rank := range s.ranks {
			st.who = append(st.who, thread{rank, 1})
		}
	} else {
		for _, word := range strings.Fields(who) {
			rank, number, other := strings.Cut(word, "/")
			t := thread{number: 1}
			t.rank, err = strconv.Atoi(rank)
			if err == nil && other {
				t.number, err = numberUpTo(4, number)
			}
			if err != nil || t.rank < 0 || t.rank >= s.ranks {
				return st, fmt.Errorf("%q is no rank, and no thread of one", word)
			}
			st.who = append(st.who, t)
		}
	}
	if len(st.who) == 0 {
		return st, fmt.Errorf("whom is it told?")
	}
	return st, nil
}

func numberUpTo(most int, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is no number from 1 to %d", text, most)
	}
	return n, nil
}

// communicators are those that are made from an id.
func (s *story) communicators() []string {
	var names []string
	for _, l := range s.lines {
		for _, st := range l.steps {
			if name, ok := strings.CutPrefix(st.command, "init on "); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

var alternatives = regexp.MustCompile(`\\{([^{}]*)\\}`)

// expects compares what happened with the text of the story, where {a|b} stands for either.
func (s *story) expects(happened string) bool {
	pattern := alternatives.ReplaceAllStringFunc(regexp.QuoteMeta(s.expected), func(found string) string {
		return "(?:" + strings.ReplaceAll(found[len(`\{`):len(found)-len(`\}`)], `\|`, "|") + ")"
	})
	return regexp.MustCompile("^" + pattern + "$").MatchString(happened)
}

func (s *story) write(happened string) error {
	return os.WriteFile(s.path, []byte(s.told+between+happened), 0o666)
}

// has says whether there is a setting, or a function in the header of a build, of this name.
func has(t *testing.T, build, name string) bool {
	if strings.HasPrefix(name, "HCOMM_") {
		return slices.ContainsFunc(settings.Table, func(s settings.Setting) bool { return s.Name == name })
	}
	header, err := os.ReadFile(filepath.Join(build, "include", "hcomm.h"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`\b` + name + `\(`).Match(header)
}

func TestParse(t *testing.T) {
	s, err := parseStory("# a story\nranks 3\nenv A=1\nall: init\n0 2/2: barrier on A ; 1: init on A\n----\nrank 0\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range s.lines {
		for _, st := range l.steps {
			got = append(got, fmt.Sprint(l.number, " ", st.who, ": ", st.command))
		}
	}
	got = append(got, s.env[0], s.communicators()[0], s.expected)
	want := []string{"4 [0 1 2]: init", "5 [0 2/2]: barrier on A", "5 [1]: init on A", "A=1", "A", "rank 0\n"}
	if !slices.Equal(got, want) {
		t.Errorf("it is %q and not %q", got, want)
	}
	for _, bad := range []string{"", "ranks 2", "ranks 0\nall: init", "all: init", "ranks 2\n2: init", "ranks 2\n0/9: init", "ranks 2\ninit", "ranks 2\n: init",
		"ranks 2\n0:", "ranks 2\ndeadline 61\nall: init"} {
		if _, err := parseStory(bad); err == nil {
			t.Errorf("%q is taken for a story", bad)
		}
	}
}

func TestExpects(t *testing.T) {
	s := story{expected: "rank {0|1} (of 2): {success|what.}\n"}
	for happened, want := range map[string]bool{
		"rank 0 (of 2): success\n": true, "rank 1 (of 2): what.\n": true, "rank 2 (of 2): success\n": false, "rank 0 (of 2): whatx\n": false,
		"rank 1 (of 2): success\nrank": false,
	} {
		if s.expects(happened) != want {
			t.Errorf("%q: %v", happened, !want)
		}
	}
}
