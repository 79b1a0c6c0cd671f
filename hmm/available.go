package hmm

import (
	"math"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available is how many bytes of memory this process may still use: what the system has, and what its control groups
// leave. What cannot be read sets no limit.
func available() uint64 { return availableFrom(readFile) }

func availableFrom(read func(name string) string) uint64 {
	most := uint64(math.MaxUint64)
	for line := range strings.Lines(read("/proc/meminfo")) {
		if text, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			if kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 50); err == nil {
				most = kb << 10
			}
		}
	}
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		switch {
		case len(part) < 3:
		case part[1] == "":
			most = min(most, left(read, "/sys/fs/cgroup", part[2], "memory.max", "memory.current"))
		case strings.Contains(","+part[1]+",", ",memory,"):
			most = min(most, left(read, "/sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes", "memory.usage_in_bytes"))
		}
	}
	return most
}

// left is what the group and those above it leave.
func left(read func(string) string, mount, group, limit, usage string) uint64 {
	most := uint64(math.MaxUint64)
	for g := path.Clean("/" + group); ; g = path.Dir(g) {
		l, err := strconv.ParseUint(strings.TrimSpace(read(path.Join(mount, g, limit))), 10, 64) // "max": no limit
		u, err2 := strconv.ParseUint(strings.TrimSpace(read(path.Join(mount, g, usage))), 10, 64)
		if err == nil && err2 == nil {
			most = min(most, l-min(u, l))
		}
		if g == "/" {
			return most
		}
	}
}

// readFile reads a small file, "" if it cannot, without package os, which would start Go's network poller: that ends the
// process where no descriptors are left.
func readFile(name string) string {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	b := make([]byte, 8192)
	n, err := unix.Read(fd, b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}
