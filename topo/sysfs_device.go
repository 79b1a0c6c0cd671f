package topo

import (
	"io/fs"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// device is a network device, or a port of an InfiniBand device.
type device struct {
	name      string
	place     string   // in the tree
	pci       string   // its place on the bus; "" if it has none
	port      int      // of several at one place
	numa      int      // -1 if the system does not say
	bandwidth float64  // of its link; 0 if unknown
	bus       float64  // of the narrowest PCI Express link to it; 0 if unknown
	bonds     []string // the devices that it is made of
	virtual   bool
	leadsOut  bool // a virtual one whose other end is elsewhere
}

// netDevices are those whose link is not down.
func (s sysfs) netDevices() (all []device) {
	const class = "class/net"
	for _, name := range s.names(class) {
		place := s.place(class, name)
		if !strings.HasPrefix(place, "devices/") {
			continue // such as bonding_masters, which is a file
		}
		d := s.device(name, place)
		if slices.Contains([]string{"down", "notpresent", "lowerlayerdown"}, s.text(d.place, "operstate")) {
			continue
		}
		if _, err := fs.Lstat(s.root, path.Join(path.Dir(path.Dir(d.place)), "physfn")); err == nil {
			continue // it shares the port of the device that it is a virtual function of
		}
		d.port = s.number(0, d.place, "dev_port")
		d.bandwidth = float64(max(0, s.number(0, d.place, "speed"))) * 1e6 / 8 // -1 if unknown
		d.virtual = strings.HasPrefix(d.place, "devices/virtual/")
		index, peer := s.number(0, d.place, "ifindex"), s.number(0, d.place, "iflink")
		d.leadsOut = d.virtual && peer > 0 && peer != index
		d.bonds = strings.Fields(s.text(d.place, "bonding/slaves"))
		all = append(all, d)
	}
	return all
}

var pciPlace = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// device finds out what a device is from its place in the tree.
func (s sysfs) device(name, place string) device {
	d := device{name: name, place: place, numa: -1}
	for at := path.Dir(place); at != "." && at != "/"; at = path.Dir(at) {
		if !pciPlace.MatchString(path.Base(at)) {
			continue
		}
		if d.pci == "" {
			d.pci = path.Base(at)
		}
		if d.numa < 0 {
			d.numa = s.number(-1, at, "numa_node")
		}
		d.bus = narrower(d.bus, s.bus(at))
	}
	return d
}

// narrower is the lower of two bandwidths; 0 or less is unknown.
func narrower(a, b float64) float64 {
	if b <= 0 || a > 0 && a < b {
		return a
	}
	return b
}

// bus is the bandwidth of a device's link on a PCI Express bus, without its coding: 8b/10b, 128b/130b, or, from 64 GT/s on,
// FLITs with 236 bytes of 256 for packets.
func (s sysfs) bus(at string) float64 {
	word, _, _ := strings.Cut(s.text(at, "current_link_speed"), " ") // 16.0 GT/s PCIe
	speed, err := strconv.ParseFloat(word, 64)
	width := s.number(0, at, "current_link_width")
	if err != nil || !(speed > 0) || width < 1 {
		return 0
	}
	coding := 128. / 130
	switch {
	case speed <= 5:
		coding = 0.8
	case speed >= 64:
		coding = 236. / 256
	}
	return math.Round(speed * 1e9 * float64(width) * coding / 8)
}

// pick puts bonds in the place of their parts, and drops virtual devices; if that leaves none and they may stand in, they do.
func pick(all []device, virtual bool) (ports []device) {
	byName := map[string]device{}
	parts := map[string]bool{}
	for _, d := range all {
		byName[d.name] = d
		for _, part := range d.bonds {
			parts[part] = true
		}
	}
	for _, d := range all {
		if parts[d.name] || d.virtual && len(d.bonds) == 0 {
			continue
		}
		if len(d.bonds) > 0 {
			first := byName[d.bonds[0]]
			d.pci, d.port, d.numa = first.pci, first.port, first.numa
		}
		ports = append(ports, d)
	}
	if len(ports) > 0 || !virtual {
		return ports
	}
	return slices.DeleteFunc(slices.Clone(all), func(d device) bool { return !d.leadsOut })
}

// infiniband gives the ports of InfiniBand devices that are up and have no network device. To those that have one it tells
// the rate.
func (s sysfs) infiniband(devices []device) (ports []device) {
	const class = "class/infiniband"
	for _, name := range s.names(class) {
		place := s.place(class, name)
		if strings.HasPrefix(place, "devices/virtual/") {
			continue // software, over a network device
		}
		numbers := s.names(place, "ports")
		for _, number := range numbers {
			port := path.Join(place, "ports", number)
			if !strings.HasPrefix(s.text(port, "state"), "4:") { // 4: ACTIVE
				continue
			}
			d := s.device(name, place)
			if len(numbers) > 1 {
				d.name += "." + number
			}
			n, _ := strconv.Atoi(number)
			d.port = n - 1
			word, _, _ := strings.Cut(s.text(port, "rate"), " ") // 100 Gb/sec (4X EDR)
			rate, _ := strconv.ParseFloat(word, 64)
			d.bandwidth = rate * 1e9 / 8
			network := s.text(port, "gid_attrs/ndevs/0")
			i := slices.IndexFunc(devices, func(o device) bool {
				return o.name == network || !o.virtual && o.pci == d.pci && o.port == d.port
			})
			if i < 0 {
				ports = append(ports, d)
			} else if len(devices[i].bonds) == 0 {
				devices[i].bandwidth = narrower(devices[i].bandwidth, d.bandwidth)
			}
		}
	}
	return ports
}
