package engine

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"hcomm/hmm"
	"hcomm/simd"
)

func BenchmarkAllReduce(b *testing.B) {
	for _, shared := range []bool{false, true} {
		for _, bytes := range []int{8, 128, 2048, 8192, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20} {
			b.Run(fmt.Sprintf("ranks=2/shared=%v/bytes=%d", shared, bytes), func(b *testing.B) {
				comms, err := InitAll(os.Getenv, 2)
				if err != nil {
					b.Fatal(err)
				}
				var wg sync.WaitGroup
				for _, c := range comms {
					wg.Add(1)
					go func() {
						defer wg.Done()
						runtime.LockOSThread()
						defer runtime.UnlockOSThread()
						var s, d unsafe.Pointer
						if shared {
							s, _ = hmm.Alloc(uint64(bytes))
							d, _ = hmm.Alloc(uint64(bytes))
							defer hmm.Free(s)
							defer hmm.Free(d)
						} else {
							x, y := make([]byte, bytes+64), make([]byte, bytes+64)
							s, d = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
						}
						for range b.N {
							if err := c.AllReduce(s, d, uint64(bytes/4), simd.Float32, simd.Sum); err != nil {
								b.Error(err)
								return
							}
						}
						c.Destroy()
					}()
				}
				wg.Wait()
			})
		}
	}
}

// BenchmarkMessage sends a message there and back.
func BenchmarkMessage(b *testing.B) {
	for _, bytes := range []int{8, 2048, 4096, 32 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", bytes), func(b *testing.B) {
			together(b, 2, func(c *Comm) error {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				x := make([]byte, bytes)
				for i := range 2 * b.N {
					var err error
					if i%2 == c.Rank() {
						err = c.Send(tagged8(x, 1-c.Rank(), 1))
					} else {
						_, err = c.Recv(tagged8(x, 1-c.Rank(), 1))
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
