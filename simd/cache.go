package simd

import "github.com/klauspost/cpuid/v2"

// CacheBytes is the size of the last-level cache that this processor shares with others; 32 MiB where it cannot be told.
func CacheBytes() int {
	if n := cpuid.CPU.Cache.L3; n > 0 {
		return n
	}
	return 32 << 20
}
