package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTagOutput(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := script(t, "2", "--tag-output", `printf 'a\r\n\nb'; printf 'c\nd'; echo e >&2`)
	lines := strings.SplitAfter(stdout, "\n")
	for rank := range 2 {
		tag := fmt.Sprintf("[%d] ", rank)
		var own []string
		for _, l := range lines {
			if strings.HasPrefix(l, tag) {
				own = append(own, strings.TrimSuffix(l, "\n"))
			}
		}
		if want := []string{tag + "a\r", tag, tag + "bc", tag + "d"}; !slices.Equal(own, want) {
			t.Errorf("got %q, want %q", own, want)
		}
	}
	if status != 0 || !slices.Equal(sorted(stderr), []string{"[0] e", "[1] e"}) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

// Lines that are written in two halves by several ranks at a time come out whole.
func TestLinesStayWhole(t *testing.T) {
	t.Parallel()
	const ranks, count = 4, 100
	half := strings.Repeat("=", 3000)
	stdout, _, status := script(t, fmt.Sprint(ranks), "", fmt.Sprintf(`
		i=0; while [ $i -lt %d ]; do printf "<$HCOMM_RANK%s"; printf "%[2]s$HCOMM_RANK>\n"; i=$((i+1)); done`, count, half))
	seen := map[string]int{}
	for l := range strings.Lines(stdout) {
		seen[l]++
	}
	for rank := range ranks {
		if l := fmt.Sprintf("<%d%s%[2]s%[1]d>\n", rank, half); seen[l] != count {
			t.Errorf("rank %d has %d whole lines, want %d", rank, seen[l], count)
		}
	}
	if status != 0 || len(seen) != ranks {
		t.Errorf("status %d, %d kinds of lines", status, len(seen))
	}
}

// A single rank's output is passed on byte by byte the same, however long its lines are.
func TestOutputIsExact(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 4095, 4096, 4097, 65536, 65537, 300_001} {
		stdout, _, status := script(t, "1", "", fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x`, n))
		if status != 0 || stdout != strings.Repeat("x", n) {
			t.Errorf("%d bytes: got %d, status %d", n, len(stdout), status)
		}
	}
}

// Nor is anything lost of several ranks' long lines; at most they are broken.
func TestLongLines(t *testing.T) {
	t.Parallel()
	const n = 500_000
	stdout, _, status := script(t, "3", "", fmt.Sprintf(`head -c %d /dev/zero | tr '\0' $HCOMM_RANK`, n))
	for rank := range 3 {
		if got := strings.Count(stdout, fmt.Sprint(rank)); got != n {
			t.Errorf("rank %d: %d bytes, want %d", rank, got, n)
		}
	}
	for l := range strings.Lines(stdout) {
		if strings.Trim(l, l[:1]+"\n") != "" {
			t.Errorf("a line has two ranks' text")
		}
	}
	if status != 0 {
		t.Errorf("status %d", status)
	}
}

// What is not a whole line yet is passed on at once when there is no other rank.
func TestPrompt(t *testing.T) {
	t.Parallel()
	c := newCommand(t, "run", "-n", "1", "--bind", "none", "--", "sh", "-c", `printf "name? "; read -r x; echo "hello $x"`)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.begin()
	if prompt, err := c.lines.ReadString(' '); prompt != "name? " {
		t.Fatalf("got %q, %v", prompt, err)
	}
	fmt.Fprintln(in, "you")
	if rest, status := c.finish(); rest != "hello you\n" || status != 0 {
		t.Errorf("got %q, status %d", rest, status)
	}
}
