package stories

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	pidText  = regexp.MustCompile(`((?:\brank (\d+) \([^()]*)?)\bpid (\d+)`)
	seconds  = regexp.MustCompile(`\b(\d+(?:\.\d+)?)( ?)s\b`)
	clock    = regexp.MustCompile(`^HCOMM_(?:\w*TIMEOUT|WARN_AFTER)=(.*)$`)
	sentence = regexp.MustCompile(`(?m)^(rank .*?: hcomm\w+: hcomm\w+: )(.*)$`)
	callers  = regexp.MustCompile(`(rank (\d+) \([^()]*\) called [^,;]*), (rank (\d+) \([^()]*\) called [^,;]*);`)
)

// normalise names what differs from run to run.
func normalise(text string, pids map[int]int, root string, env []string) string {
	text = pidText.ReplaceAllStringFunc(text, func(found string) string {
		parts := pidText.FindStringSubmatch(found)
		pid, _ := strconv.Atoi(parts[3])
		rank, ok := pids[pid]
		switch {
		case !ok:
			return parts[1] + "pid <of no rank>"
		case parts[2] == strconv.Itoa(rank):
			return parts[1] + "pid <pid>"
		}
		return fmt.Sprintf("%spid <pid of rank %d>", parts[1], rank)
	})
	if host, err := os.Hostname(); err == nil {
		text = strings.ReplaceAll(text, "host "+host, "host <host>")
	}
	text = strings.ReplaceAll(text, root, "<root>")
	text = seconds.ReplaceAllStringFunc(text, func(found string) string {
		parts := seconds.FindStringSubmatch(found)
		return strconv.Itoa(whole(parts[1], env)) + parts[2] + "s"
	})
	text = callers.ReplaceAllStringFunc(text, func(found string) string {
		if p := callers.FindStringSubmatch(found); p[4] < p[2] {
			return p[3] + ", " + p[1] + ";"
		}
		return found
	})
	return abbreviate(text)
}

// abbreviate gives a sentence that ends several lines a number, and says it once, at the end.
func abbreviate(text string) string {
	lines := sentence.FindAllStringSubmatch(text, -1)
	times := map[string]int{}
	for _, l := range lines {
		times[l[2]]++
	}
	numbers := map[string]int{}
	end := ""
	for _, l := range lines {
		if s := l[2]; times[s] > 1 && numbers[s] == 0 {
			numbers[s] = len(numbers) + 1
			end += fmt.Sprintf("(%d): %s\n", numbers[s], s)
		}
	}
	return sentence.ReplaceAllStringFunc(text, func(found string) string {
		l := sentence.FindStringSubmatch(found)
		if n := numbers[l[2]]; n > 0 {
			return fmt.Sprintf("%s(%d)", l[1], n)
		}
		return found
	}) + end
}

// whole is a time in whole seconds. On a busy machine a rank may be told of a clock that has run out some time after.
func whole(text string, env []string) int {
	const late = 5
	x, _ := strconv.ParseFloat(text, 64)
	result := math.Round(x)
	best := 0.0
	for _, variable := range env {
		if found := clock.FindStringSubmatch(variable); found != nil {
			limit, err := strconv.ParseFloat(found[1], 64)
			if err == nil && limit > best && x > limit-0.1 && x < limit+late {
				best, result = limit, math.Round(limit)
			}
		}
	}
	return int(result)
}

func TestAbbreviate(t *testing.T) {
	text := "rank 0: init: success\nrank 0: barrier: hcommRemoteError: hcommBarrier: a\nrank 1: barrier: hcommRemoteError: hcommBarrier: b: c\n" +
		"rank 2: destroy: hcommRemoteError: hcommCommDestroy: a\n"
	want := "rank 0: init: success\nrank 0: barrier: hcommRemoteError: hcommBarrier: (1)\nrank 1: barrier: hcommRemoteError: hcommBarrier: b: c\n" +
		"rank 2: destroy: hcommRemoteError: hcommCommDestroy: (1)\n(1): a\n"
	if got := abbreviate(text); got != want {
		t.Errorf("it is\n%s", got)
	}
}

func TestNormalise(t *testing.T) {
	host, _ := os.Hostname()
	pids := map[int]int{41: 0, 42: 1}
	env := []string{"HCOMM_WARN_AFTER=1", "HCOMM_TIMEOUT=3", "HCOMM_SPIN=7"}
	for text, want := range map[string]string{
		"rank 1 (host " + host + ", pid 42) died": "rank 1 (host <host>, pid <pid>) died",
		"rank 1 (host " + host + ", pid 41) died": "rank 1 (host <host>, pid <pid of rank 0>) died",
		"pid 41":                             "pid <pid of rank 0>",
		"rank 1 (pid 43)":                    "rank 1 (pid <of no rank>)",
		"late by 0.4 s, 1.7 s, 2.95 s, 3.8s": "late by 0 s, 1 s, 3 s, 3s",
		"20.2 s":                             "20 s",
		"disagree: rank 1 (pid 42) called Barrier #1, rank 0 (pid 41) called AllReduce #1 of 3 int8; so": "disagree: rank 0 (pid <pid>) called AllReduce #1 of 3 int8, rank 1 (pid <pid>) called Barrier #1; so",
	} {
		if got := normalise(text, pids, "127.0.0.1:80", env); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}
