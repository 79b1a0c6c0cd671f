package hmm

import (
	"bytes"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// mapped is a line of /proc/self/maps.
type mapped struct {
	from, to uint64
	access   string // such as rw-p
	offset   uint64 // in the file
	inode    uint64
	name     string
}

// eachMapping calls f for the mappings of this process that end behind an address, in their order, until it returns
// false.
func eachMapping(from uint64, f func(m mapped) (more bool)) error {
	fd, err := unix.Open("/proc/self/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("/proc/self/maps: %w", err)
	}
	defer unix.Close(fd)
	var room [16 << 10]byte
	have := 0
	for {
		n, err := unix.Read(fd, room[have:])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return err
		}
		text := room[:have+n]
		for {
			line, rest, whole := bytes.Cut(text, []byte{'\n'})
			if !whole {
				break
			}
			if m, err := parseMapping(line, from); err != nil {
				return err
			} else if m.to > from && !f(m) {
				return nil
			}
			text = rest
		}
		have = copy(room[:], text)
	}
}

// parseMapping reads a line; of one that ends before an address, only where it ends.
func parseMapping(line []byte, from uint64) (m mapped, err error) {
	addresses, rest, _ := bytes.Cut(line, []byte{' '})
	first, last, ok := bytes.Cut(addresses, []byte{'-'})
	if m.to, err = strconv.ParseUint(string(last), 16, 64); err != nil || !ok || m.to <= from {
		return m, err
	}
	m.from, err = strconv.ParseUint(string(first), 16, 64)
	fields := bytes.Fields(rest) // access, offset, device, inode, perhaps a name
	if len(fields) < 4 || err != nil {
		return m, fmt.Errorf("/proc/self/maps has the line %q", line)
	}
	m.access = string(fields[0])
	m.offset, _ = strconv.ParseUint(string(fields[1]), 16, 64)
	m.inode, _ = strconv.ParseUint(string(fields[3]), 10, 64)
	if len(fields) > 4 {
		_, name, _ := bytes.Cut(rest, fields[4])
		m.name = string(fields[4]) + string(name)
	}
	return m, nil
}

// borders checks that pages are private, anonymous, readable and writable ones, and returns where in them mappings end,
// the last one at size.
func borders(base, size uint64) (ends []uint64, err error) {
	at, end := base, base+size
	failed := eachMapping(at, func(m mapped) bool {
		switch {
		case m.from > at:
			return false // a hole
		case m.access != "rw-p" || !m.isAnonymous():
			err = Refusal(fmt.Sprintf("the page at %#x is %s; only memory as from malloc can be registered", at, m.describe()))
			return false
		}
		at = min(m.to, end)
		ends = append(ends, at-base)
		return at < end
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case at < end:
		return nil, Refusal(fmt.Sprintf("there is no memory at %#x", at))
	}
	return ends, nil
}

func (m *mapped) isAnonymous() bool {
	return m.inode == 0 && (m.name == "" || m.name == "[heap]" || len(m.name) > 6 && m.name[:6] == "[anon:")
}

// describe says why a page is not one that can be registered.
func (m *mapped) describe() string {
	switch {
	case m.access[3] != 'p':
		return fmt.Sprintf("shared (%s)", m.name)
	case m.name == "[stack]":
		return "of the stack"
	case !m.isAnonymous():
		return fmt.Sprintf("of %s", m.name)
	case m.access[2] == 'x':
		return "executable"
	}
	return "not readable and writable"
}
