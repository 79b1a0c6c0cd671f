package meet

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkMeet is a whole meeting of ranks in one process: join, one exchange of a 256-byte card with one descriptor, close.
func BenchmarkMeet(b *testing.B) {
	for name, point := range bothPoints {
		for _, n := range []int{2, 8, 64, 128} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				fd := memfd(b, "x")
				defer closeAll([]int{fd})
				var joining, exchanging time.Duration
				for range b.N {
					at := point(b)
					began := time.Now()
					ss := mustJoin(b, ranks(at, n))
					met := time.Now()
					for _, err := range exchangeAll(ss, func(rank int, s *Session) error {
						fds := []int{fd}
						if n > 64 {
							fds = nil // too many for one process
						}
						cards, err := s.Exchange(make([]byte, 256), fds)
						for _, c := range cards {
							closeAll(c.FDs)
						}
						return err
					}) {
						if err != nil {
							b.Fatal(err)
						}
					}
					joining += met.Sub(began)
					exchanging += time.Since(met)
					closeSessions(ss)
				}
				b.ReportMetric(joining.Seconds()*1e3/float64(b.N), "ms/join")
				b.ReportMetric(exchanging.Seconds()*1e3/float64(b.N), "ms/exchange")
			})
		}
	}
}
