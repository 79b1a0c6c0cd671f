package meet

import (
	"context"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// endpoint is where the TCP leg meets: one address of this host.
type endpoint struct {
	name string // as the caller wrote it
	at   netip.AddrPort
}

func (e endpoint) family() int {
	if e.at.Addr().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

func (e endpoint) sockaddr() unix.Sockaddr {
	if e.at.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(e.at.Port()), Addr: e.at.Addr().As4()}
	}
	sa := &unix.SockaddrInet6{Port: int(e.at.Port()), Addr: e.at.Addr().As16()}
	if zone := e.at.Addr().Zone(); zone != "" {
		if ifi, err := net.InterfaceByName(zone); err == nil {
			sa.ZoneId = uint32(ifi.Index)
		}
	}
	return sa
}

// resolve finds the address of this host that "host:port" means. All ranks of a job come to the same one.
func resolve(hostport string, p *patience) (endpoint, error) {
	host, port, err := splitHostPort("the meeting point", hostport)
	if err != nil {
		return endpoint{}, err
	}
	addrs, err := lookup(host, p)
	if err != nil {
		return endpoint{}, err
	}
	mine, err := net.InterfaceAddrs()
	if err != nil {
		return endpoint{}, failf(ErrSystem, "the addresses of this host: %v", err)
	}
	addr, err := choose(host, addrs, mine)
	if err != nil {
		return endpoint{}, err
	}
	return endpoint{hostport, netip.AddrPortFrom(addr, uint16(port))}, nil
}

// lookup resolves a name, or reads an address. The wait ends with the patience.
func lookup(host string, p *patience) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	if host == "localhost" {
		// RFC 6761: never a question for a name server, and no /etc/hosts is needed.
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	ctx, cancel := context.WithDeadline(context.Background(), p.deadline)
	defer cancel()
	type result struct {
		addrs []netip.Addr
		err   error
	}
	done := make(chan result, 1)
	go func() {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		done <- result{addrs, err}
	}()
	tick := time.NewTicker(pollSlice)
	defer tick.Stop()
	var stopped error
	for {
		select {
		case r := <-done: // also after a stop: the goroutine does not outlive us
			if stopped != nil {
				return nil, stopped
			}
			if r.err != nil {
				if own, err := os.Hostname(); err == nil && own == host {
					return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil // a container that cannot resolve its own name
				}
				if p.over() {
					return nil, failf(ErrTimeout, "the root host %q was not resolved within %v: %v", host, p.limit, r.err)
				}
				return nil, failf(ErrUsage, "the root host %q cannot be resolved: %v", host, r.err)
			}
			for i, a := range r.addrs {
				r.addrs[i] = a.Unmap()
			}
			return r.addrs, nil
		case <-tick.C:
			if p.stop != nil && stopped == nil {
				if stopped = p.stop(); stopped != nil {
					cancel()
				}
			}
		}
	}
}

// choose picks from the addresses of a host one that is this host's: IPv4 before IPv6, the lowest first.
func choose(host string, addrs []netip.Addr, mine []net.Addr) (netip.Addr, error) {
	addrs = slices.Clone(addrs)
	slices.SortFunc(addrs, netip.Addr.Compare)
	for _, a := range addrs {
		if a.IsUnspecified() {
			return netip.Addr{}, failf(ErrUsage, "the root host %s is no address to meet at: name one of this host's, for example 127.0.0.1", host)
		}
		if a.IsLoopback() {
			return a, nil
		}
		for _, m := range mine {
			prefix, ok := m.(*net.IPNet)
			if !ok {
				continue
			}
			if own, ok := netip.AddrFromSlice(prefix.IP); ok && own.Unmap() == a.WithZone("") {
				return a, nil
			}
		}
	}
	return netip.Addr{}, failf(ErrUsage, "the root host %s (%v) is not this host, and meeting across hosts is not built yet: start all ranks on one host, and let the meeting point name it", host, addrs)
}
