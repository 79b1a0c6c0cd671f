package topo

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ReadSysfs reads a host from a tree such as Linux has in /sys; of its files, only those of processors, network devices and
// InfiniBand devices, and links must be links. The host has that name, and its ports in the order of their places on the PCI
// bus: the n-th is of rail n.
//
// A port is a network device of hardware whose link is not down, or a port of an InfiniBand device without one. Devices that
// are bonded are one port, by the name of the bond. If there is none of all these, as in a container, virtual devices
// count that lead out of the network namespace. A port's bandwidth is that of its link, or of the PCI bus if this has less.
func ReadSysfs(sys fs.FS, name string) (*Topology, error) {
	s := sysfs{sys}
	domains, err := s.domains()
	if err != nil {
		return nil, err
	}
	devices := s.netDevices()
	others := s.infiniband(devices)
	ports := slices.Concat(others, pick(devices, len(others) == 0))
	slices.SortStableFunc(ports, func(a, b device) int {
		return cmp.Or(strings.Compare(a.pci, b.pci), cmp.Compare(a.port, b.port), strings.Compare(a.name, b.name))
	})
	host := Host{Name: name, NUMA: domains}
	for rail, p := range ports {
		if !slices.ContainsFunc(domains, func(d NUMA) bool { return d.ID == p.numa }) {
			p.numa = domains[0].ID // the system does not say
		}
		if p.bandwidth > 0 { // or what the bus says is not to be trusted, as in virtual machines
			p.bandwidth = narrower(p.bandwidth, p.bus)
		}
		host.NICs = append(host.NICs, NIC{Name: p.name, NUMA: p.numa, Rail: rail, Bandwidth: p.bandwidth})
	}
	return &Topology{Name: name, Hosts: []Host{host}}, nil
}

// sysfs reads files of a tree. What is not there is "".
type sysfs struct{ root fs.FS }

// mostFile is more than a file of the system has; a copy may have anything.
const mostFile = 1 << 16

func (s sysfs) text(name ...string) string {
	file, err := s.root.Open(path.Join(name...))
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostFile))
	if err != nil {
		return "" // such as the speed of a device that is down
	}
	return strings.TrimSpace(string(text))
}

// number is the number in a file, or another if there is none.
func (s sysfs) number(other int, name ...string) int {
	n, err := strconv.Atoi(s.text(name...))
	if err != nil {
		return other
	}
	return n
}

// names are those in a folder, sorted.
func (s sysfs) names(folder ...string) (names []string) {
	entries, _ := fs.ReadDir(s.root, path.Join(folder...))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// place is where a link leads to, in the tree.
func (s sysfs) place(link ...string) string {
	name := path.Join(link...)
	to, err := fs.ReadLink(s.root, name)
	if err != nil {
		return name
	}
	return path.Join(path.Dir(name), to)
}

var nodeName = regexp.MustCompile(`^node([0-9]+)$`)

// domains are those of the host; a system without NUMA has one.
func (s sysfs) domains() (domains []NUMA, err error) {
	const nodes, processors = "devices/system/node", "devices/system/cpu/online"
	for _, name := range s.names(nodes) {
		m := nodeName.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		id, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", nodes, name, err)
		}
		list, err := parseList(s.text(nodes, name, "cpulist"))
		if err != nil {
			return nil, fmt.Errorf("%s/%s/cpulist: %w", nodes, name, err)
		}
		domains = append(domains, NUMA{ID: id, Processors: list})
	}
	slices.SortFunc(domains, func(a, b NUMA) int { return cmp.Compare(a.ID, b.ID) })
	if len(domains) > 0 {
		return domains, nil
	}
	list, err := parseList(s.text(processors))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", processors, err)
	case len(list) == 0:
		return nil, fmt.Errorf("%s lists no processors: is this a tree such as /sys?", processors)
	}
	return []NUMA{{Processors: list}}, nil
}

// mostProcessors is more than Linux can have.
const mostProcessors = 1 << 16

// parseList reads a list such as 0-3,8.
func parseList(text string) (list []int, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last >= mostProcessors || len(list) > mostProcessors {
			return nil, fmt.Errorf("%.80q is no list of processors", text)
		}
		for p := first; p <= last; p++ {
			list = append(list, p)
		}
	}
	return list, nil
}
