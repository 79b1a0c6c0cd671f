package stack

import (
	"testing"
	"unsafe"
)

// TestReserve sees the stack move: that is what growing is.
func TestReserve(t *testing.T) {
	moved := make(chan bool)
	go func() {
		var here byte
		before := uintptr(unsafe.Pointer(&here))
		Reserve()
		moved <- uintptr(unsafe.Pointer(&here)) != before
	}()
	if !<-moved {
		t.Error("a new goroutine's stack did not grow")
	}
}

func BenchmarkReserve(b *testing.B) {
	for range b.N {
		Reserve()
	}
}
