//go:build !amd64 || race || purego

package simd

// lacks names what is missing for l, "" if nothing is.
func lacks(l Level) string {
	if l == Generic {
		return ""
	}
	return "a build for amd64 without the tags race and purego"
}

func installAssembly() {}

func copyBytes(dst, src []byte) { copy(dst, src) }

func copyBytes2(dst, dst2, src []byte) {
	copy(dst, src)
	copy(dst2, src)
}

func streamBytes(dst, src []byte) { copy(dst, src) }
