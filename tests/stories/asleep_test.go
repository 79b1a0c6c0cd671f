package stories

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// asleep says whether there was a moment at which all threads of all these processes slept. Each look takes some time, so
// there are two: a thread that slept at both and has not been switched to in between slept all the while.
func asleep(pids []int) bool {
	first, ok := naps(pids)
	if !ok {
		return false
	}
	second, ok := naps(pids)
	return ok && maps.Equal(first, second)
}

var (
	state = regexp.MustCompile(`(?s)\nState:\t(.).*\nvoluntary_ctxt_switches:\t(\d+)`)
	pause = regexp.MustCompile(`^(7|73|271) 0x0 0x0 `) // poll or ppoll of no descriptors, on x86-64 or arm64
)

// naps gives, for every thread, how often it has gone to sleep, unless one of them is awake. So counts a thread that waits for
// nothing but some time to pass, as one does that looks for rank 0 again and again, and a process that is just ending.
func naps(pids []int) (map[string]string, bool) {
	n := map[string]string{}
	for _, pid := range pids {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		if err != nil || len(tasks) == 0 {
			return nil, false
		}
		for _, task := range tasks {
			status, err := os.ReadFile(filepath.Join(task, "status"))
			found := state.FindSubmatch(status)
			if err != nil || found == nil || string(found[1]) != "S" {
				return nil, false
			}
			if call, err := os.ReadFile(filepath.Join(task, "syscall")); err == nil && pause.Match(call) {
				return nil, false
			}
			n[task] = string(found[2])
		}
	}
	return n, true
}

// standsStill says whether SIGSTOP has reached every thread of a process.
func standsStill(pid int) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	return len(tasks) > 0 && !slices.ContainsFunc(tasks, func(task string) bool {
		status, err := os.ReadFile(task)
		found := state.FindSubmatch(status)
		return err != nil || found == nil || string(found[1]) != "T"
	})
}
