package topo

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write what is expected in testdata/sysfs/*.txt anew")

// tree is a file system of lines such as "NAME: TEXT" and "NAME -> TARGET".
func tree(lines string) fstest.MapFS {
	files := fstest.MapFS{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if name, target, ok := strings.Cut(line, " -> "); ok {
			files[name] = &fstest.MapFile{Data: []byte(target), Mode: os.ModeSymlink | 0o777}
		} else if name, text, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			files[name] = &fstest.MapFile{Data: []byte(text + "\n"), Mode: 0o444}
		}
	}
	return files
}

// The trees in testdata/sysfs were recorded by record.py, and have what is read of them after a line of dashes.
func TestSysfs(t *testing.T) {
	paths, _ := filepath.Glob("testdata/sysfs/*.txt")
	if len(paths) < 4 {
		t.Fatalf("found only %q", paths)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		recorded, want, _ := strings.Cut(string(text), "----\n")
		topology, err := ReadSysfs(tree(recorded), "host")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got bytes.Buffer
		if err := topology.Write(&got); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, []byte(recorded+"----\n"+got.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got.String() != want {
			t.Errorf("%s is read as\n%s\nwant\n%s", path, got.String(), want)
		}
		if _, err := topology.Network(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A tree in a folder is read as one in memory is.
func TestSysfsFolder(t *testing.T) {
	text, err := os.ReadFile("testdata/sysfs/two_domains.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, folder := tree(string(text)), t.TempDir()
	for name, f := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if f.Mode&os.ModeSymlink != 0 {
			err = os.Symlink(string(f.Data), path)
		} else {
			err = os.WriteFile(path, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := ReadSysfs(files, "host")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadSysfs(os.DirFS(folder), "host"); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// cases have a domain 0 and 1, and more.
var cases = map[string]struct{ lines, want string }{
	"RoCE: a port has a network device and an InfiniBand device, and a bus that is narrower": {`
class/net/eth9 -> ../../devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/eth9
devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/eth9/operstate: up
devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/eth9/speed: 200000
devices/pci0000:00/0000:00:01.0/0000:01:00.1/numa_node: 1
devices/pci0000:00/0000:00:01.0/0000:01:00.1/current_link_speed: 16.0 GT/s PCIe
devices/pci0000:00/0000:00:01.0/0000:01:00.1/current_link_width: 16
devices/pci0000:00/0000:00:01.0/current_link_speed: 8.0 GT/s PCIe
devices/pci0000:00/0000:00:01.0/current_link_width: 16
class/infiniband/mlx5_0 -> ../../devices/pci0000:00/0000:00:01.0/0000:01:00.1/infiniband/mlx5_0
devices/pci0000:00/0000:00:01.0/0000:01:00.1/infiniband/mlx5_0/ports/1/state: 4: ACTIVE
devices/pci0000:00/0000:00:01.0/0000:01:00.1/infiniband/mlx5_0/ports/1/rate: 200 Gb/sec (4X HDR)
`, "{eth9 1 0 1.5753846154e+10}"},
	"InfiniBand: two ports, of which one has a network device that is up, and one that is not active": {`
class/net/ib0 -> ../../devices/pci0000:00/0000:00:01.0/net/ib0
devices/pci0000:00/0000:00:01.0/net/ib0/operstate: up
devices/pci0000:00/0000:00:01.0/net/ib0/dev_port: 1
class/net/ib1 -> ../../devices/pci0000:00/0000:00:01.0/net/ib1
devices/pci0000:00/0000:00:01.0/net/ib1/operstate: down
class/infiniband/mlx4_0 -> ../../devices/pci0000:00/0000:00:01.0/infiniband/mlx4_0
devices/pci0000:00/0000:00:01.0/infiniband/mlx4_0/ports/1/state: 4: ACTIVE
devices/pci0000:00/0000:00:01.0/infiniband/mlx4_0/ports/1/rate: 56 Gb/sec (4X FDR)
devices/pci0000:00/0000:00:01.0/infiniband/mlx4_0/ports/2/state: 4: ACTIVE
devices/pci0000:00/0000:00:01.0/infiniband/mlx4_0/ports/2/rate: 40 Gb/sec (4X QDR)
class/infiniband/mlx5_0 -> ../../devices/pci0000:80/0000:80:01.0/infiniband/mlx5_0
devices/pci0000:80/0000:80:01.0/infiniband/mlx5_0/ports/1/state: 1: DOWN
class/infiniband/mlx5_1 -> ../../devices/pci0000:80/0000:80:01.1/infiniband/mlx5_1
devices/pci0000:80/0000:80:01.1/infiniband/mlx5_1/ports/1/state: 4: ACTIVE
devices/pci0000:80/0000:80:01.1/infiniband/mlx5_1/ports/1/rate: 400 Gb/sec (4X NDR)
devices/pci0000:80/0000:80:01.1/numa_node: 1
`, "{mlx4_0.1 0 0 7e+09} {ib0 0 1 5e+09} {mlx5_1 1 2 5e+10}"},
	"PCI Express 6, and 1": {`
class/net/a -> ../../devices/pci0000:00/0000:00:01.0/net/a
devices/pci0000:00/0000:00:01.0/net/a/operstate: up
devices/pci0000:00/0000:00:01.0/net/a/speed: 800000
devices/pci0000:00/0000:00:01.0/current_link_speed: 64.0 GT/s PCIe
devices/pci0000:00/0000:00:01.0/current_link_width: 8
class/net/b -> ../../devices/pci0000:00/0000:00:02.0/net/b
devices/pci0000:00/0000:00:02.0/net/b/operstate: up
devices/pci0000:00/0000:00:02.0/net/b/speed: 10000
devices/pci0000:00/0000:00:02.0/current_link_speed: 2.5 GT/s PCIe
devices/pci0000:00/0000:00:02.0/current_link_width: 4
`, "{a 0 0 5.9e+10} {b 0 1 1e+09}"},
	"a virtual function beside its physical one, and a device without a link": {`
class/net/a -> ../../devices/pci0000:00/0000:00:01.0/net/a
devices/pci0000:00/0000:00:01.0/net/a/operstate: up
devices/pci0000:00/0000:00:01.0/net/a/speed: 25000
class/net/b -> ../../devices/pci0000:00/0000:00:01.1/net/b
devices/pci0000:00/0000:00:01.1/net/b/operstate: up
devices/pci0000:00/0000:00:01.1/physfn -> ../0000:00:01.0
class/net/c -> ../../devices/pci0000:00/0000:00:02.0/net/c
devices/pci0000:00/0000:00:02.0/net/c/operstate: down
`, "{a 0 0 3.125e+09}"},
	"a VLAN does not count beside its device, nor does a bond of none": {`
class/net/a -> ../../devices/platform/soc/net/a
devices/platform/soc/net/a/operstate: unknown
class/net/a.7 -> ../../devices/virtual/net/a.7
devices/virtual/net/a.7/ifindex: 9
devices/virtual/net/a.7/iflink: 1
class/net/bond0 -> ../../devices/virtual/net/bond0
devices/virtual/net/bond0/bonding/slaves: 
`, "{a 0 0 0}"},
	"nothing": {"", ""},
}

func TestSysfsCases(t *testing.T) {
	const domains = "devices/system/node/node0/cpulist: 0-1\ndevices/system/node/node1/cpulist: 2,3\ndevices/system/node/online: 0-1\n"
	for name, c := range cases {
		topology, err := ReadSysfs(tree(domains+c.lines), "host")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Trim(fmt.Sprint(topology.Hosts[0].NICs), "[]"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got, want := fmt.Sprint(topology.Hosts[0].NUMA), "[{0 [0 1] 0} {1 [2 3] 0}]"; got != want {
			t.Errorf("%s: domains %s, want %s", name, got, want)
		}
	}
}

func TestSysfsErrors(t *testing.T) {
	for lines, want := range map[string]string{
		"":                               "is this a tree such as /sys?",
		"devices/system/cpu/online: 0-x": "no list",
		"devices/system/cpu/online: 5-2": "no list",
		"devices/system/cpu/online: " + strings.Repeat("0-65535,", 100) + "0": "no list",
		"devices/system/cpu/online: 0-9999999999":                             "no list",
		"devices/system/node/node0/cpulist: 1,,2":                             "node0/cpulist: \"1,,2\" is no list",
	} {
		if _, err := ReadSysfs(tree(lines), "host"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v; it should say: %s", lines, err, want)
		}
	}
	topology, err := ReadSysfs(tree("devices/system/cpu/online: 0-2,7"), "host")
	if err != nil || fmt.Sprint(topology.Hosts[0].NUMA) != "[{0 [0 1 2 7] 0}]" {
		t.Errorf("without NUMA it is %v, %v", topology, err)
	}
}
