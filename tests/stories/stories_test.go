// Package stories tells what becomes of ranks that make mistakes. A story is a file, stories/*.txt; its ranks are processes
// of their own (actor/actor.c) on the library of a build. TestStories runs all of them:
//
//	BUILD=build go test ./tests/stories                           BUILD: as in tests/run-c.sh; without it they are skipped
//	BUILD=build go test ./tests/stories -run TestStories/stopped  one
//	BUILD=build go test ./tests/stories -update                   writes what happens into those that expect otherwise; then look
//	                                                              for what may happen in another way, too: {a|b}
//
// CC, TEST_FLAGS and TEST_SLOWNESS are also as in tests/run-c.sh. A story is, for example:
//
//	# Rank 1 comes to a barrier instead.
//	ranks 2
//	env HCOMM_SPIN=0                                   for all ranks
//	needs HCOMM_TIMEOUT                                a setting, or a function of hcomm.h: skipped without it
//	slow                                               skipped without the build tag "slow"
//	deadline 30                                        seconds, at most 60; 20 if it is not said
//	all: init
//	0: allreduce float32 1000 sum; 1: barrier          at the same time
//	0 1/2: destroy                                     1/2: the second thread of rank 1
//	----
//	rank 0: init: success
//	rank 0: allreduce float32 1000 sum: hcommMismatch: hcommAllReduce: (1)
//	...
//	rank 1: barrier: {success|hcommMismatch: hcommBarrier: (1)}           either
//	...
//	(1): ranks disagree: ...                           the sentence of all these
//
// The commands of a line are given at once, those of the next when every thread has answered or sleeps in its call. So
// the order of lines is an order in time, and only what stands in one line races. Actors know the calls of hcomm.h that
// stand in actor/actor.c, "on NAME" after each for one on another communicator than that of the environment, and return, exit
// STATUS, _exit STATUS. These are not for actors:
//
//	0: stop, 0: continue, 0: kill     the signals SIGSTOP, SIGCONT, SIGKILL
//	0 1: done                         waits until they have answered
//	0 1: warned                       waits until each has written a line to its standard error
//	all: pause 20                     20 seconds in which nothing is done
//
// After the last line ranks have time to answer; then they return from main. What happened is written rank by rank,
// thread by thread: each command and its answer; lines on standard error; how a process ended, unless by that return. What
// differs from run to run is named instead: pids, host, meeting point, and the order of the two whom a disagreement
// names. Times are told as whole seconds, or as the clock of the environment (HCOMM_TIMEOUT=1) that had run out.
package stories

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what happens into stories that expect otherwise")

func TestStories(t *testing.T) {
	build := os.Getenv("BUILD")
	if build == "" {
		t.Skip("BUILD does not name a folder with the library")
	}
	if !filepath.IsAbs(build) {
		build = filepath.Join("..", "..", build)
	}
	build, err := filepath.Abs(build)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d stories, %v", len(paths), err)
	}
	actor := compileActor(t, build)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(path, ".txt"), func(t *testing.T) {
			t.Parallel()
			check(t, path, actor, build)
		})
	}
}

// slowness is what deadlines are multiplied by.
func slowness(t *testing.T) time.Duration {
	text := os.Getenv("TEST_SLOWNESS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("TEST_SLOWNESS: %v", err)
	}
	return time.Duration(n)
}

func compileActor(t *testing.T, build string) string {
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "gcc"
	}
	actor := filepath.Join(t.TempDir(), "actor")
	args := []string{"-std=c99", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I" + filepath.Join(build, "include")}
	args = append(args, strings.Fields(os.Getenv("TEST_FLAGS"))...)
	lib := filepath.Join(build, "lib")
	args = append(args, "-o", actor, filepath.Join("actor", "actor.c"), "-L"+lib, "-lhcomm", "-Wl,-rpath,"+lib)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return actor
}

// check runs a story and compares what happened with what it expects.
func check(t *testing.T, path, actor, build string) {
	s, err := readStory(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.slow && !slow {
		t.Skip("only with the build tag slow")
	}
	for _, name := range s.needs {
		if !has(t, build, name) {
			t.Skipf("this library has no %s", name)
		}
	}
	// The kernel kills the actors when the thread that started them ends, so that none outlives this process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	happened, err := s.run(actor, slowness(t))
	switch {
	case err != nil:
		t.Errorf("%s: %v\nuntil then:\n%s", path, err, happened)
	case s.expects(happened):
	case *update:
		if err := s.write(happened); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s: happened:\n%s\nexpected:\n%s", path, happened, s.expected)
	}
}
