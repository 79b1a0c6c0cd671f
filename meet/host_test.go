package meet

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	addrs := func(text string) (as []netip.Addr) {
		for _, f := range strings.Fields(text) {
			as = append(as, netip.MustParseAddr(f))
		}
		return as
	}
	mine := []net.Addr{
		&net.IPNet{IP: net.ParseIP("10.0.0.5"), Mask: net.CIDRMask(8, 32)},
		&net.IPNet{IP: net.ParseIP("fe80::5"), Mask: net.CIDRMask(64, 128)},
	}
	for in, want := range map[string]string{
		"10.0.0.5":          "10.0.0.5",
		"10.0.0.4 10.0.0.5": "10.0.0.5",
		"::1 127.0.0.1":     "127.0.0.1",
		"::1 10.0.0.5":      "10.0.0.5",
		"fe80::5%eth0":      "fe80::5%eth0",
		"127.0.1.1":         "127.0.1.1",
		"2001:db8::1 ::1":   "::1",
		"10.0.0.4":          "error: the root host h ([10.0.0.4]) is not this host",
		"::":                "error: the root host h is no address to meet at",
	} {
		a, err := choose("h", addrs(in), mine)
		if strings.HasPrefix(want, "error: ") {
			wantError(t, err, ErrUsage, want[7:])
		} else if err != nil || a.String() != want {
			t.Errorf("%s: %v, %v; want %s", in, a, err, want)
		}
	}
}

func TestLookup(t *testing.T) {
	noLeak(t)
	at := tcpPoint(t)
	_, port, _ := net.SplitHostPort(at.TCP)
	at.TCP = net.JoinHostPort("localhost", port)
	closeSessions(mustJoin(t, ranks(at, 2)))

	_, err := Join(Job{Rank: 1, Size: 2, At: Point{TCP: "no such host:5000"}}, long, nil)
	wantError(t, err, ErrUsage, `the root host "no such host" cannot be resolved: `)
}

// Where IPv6 is there it is as good.
func TestIPv6(t *testing.T) {
	noLeak(t)
	at := Point{TCP: fmt.Sprintf("[::1]:%d", 20000+os.Getpid()%10000)}
	if l, err := net.Listen("tcp", at.TCP); err != nil {
		t.Skip("no IPv6 here: ", err)
	} else {
		l.Close()
	}
	closeSessions(mustJoin(t, ranks(at, 3)))
}
