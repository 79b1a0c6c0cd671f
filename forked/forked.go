package forked

import "sync/atomic"

// Table has one bit for each descriptor.
var Table [1024]uint64

// Track adds a descriptor to the list. Ones above the table are left to close-on-exec alone.
func Track(fd int) {
	if fd >= 0 && fd < len(Table)*64 {
		atomic.OrUint64(&Table[fd/64], 1<<(fd%64))
	}
}

// Untrack takes it off, before it is closed.
func Untrack(fd int) {
	if fd >= 0 && fd < len(Table)*64 {
		atomic.AndUint64(&Table[fd/64], ^(uint64(1) << (fd % 64)))
	}
}
