//go:build !slow

package stories

const slow = false
