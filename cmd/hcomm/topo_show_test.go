package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcomm/topo"
)

func TestTopoShowText(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "topo", "show", "zones:9+2", "--ring")
	want := `2 zones: 11 hosts, 2 switches, 12 links

hosts  each with
11     1 NIC  1 NUMA domain  memory 400Gbit 300ns

zones  hosts of each
1      2
1      9

links                    bandwidth  latency
11     of hosts          100Gbit    500ns
1      between switches  10Gbit     50µs

pairs of hosts  links between  bandwidth  latency
37              2              100Gbit    1µs
18              3              10Gbit     51µs

ring, with the latencies of its hops as costs
order        h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10
total        111.2µs
slowest      51.06µs
lower bound  111.2µs (no ring is cheaper)
links between switches passed: 2
`
	if status != 0 || stderr != "" || stdout != want {
		t.Errorf("status %d, stderr %q, stdout:\n%s\nwant:\n%s", status, stderr, stdout, want)
	}
}

// Few hosts are listed, with the ports of each.
func TestTopoShowHosts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.json")
	text := `{"hosts": [
  {"name": "a", "numa": [{"id": 0, "processors": [0, 1, 2, 8]}, {"id": 1, "bandwidth": 1e9}],
   "nics": [{"name": "e", "numa": 1, "bandwidth": 1.25e9}]},
  {"name": "b"}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := hcomm(t, "topo", "show", file)
	want := file + `: 2 hosts, 0 switches, 0 links

host a           memory no limit 0s
  NUMA domain 0  processors 0-2,8    bus no limit
  NUMA domain 1  processors unknown  bus 8Gbit
  NIC e          rail 0              NUMA domain 1  bandwidth 10Gbit
host b           memory no limit 0s

pairs of hosts  links between  bandwidth  latency
1               no way
`
	if status != 0 || stderr != "" || stdout != want {
		t.Errorf("status %d, stderr %q, stdout:\n%s\nwant:\n%s", status, stderr, stdout, want)
	}
}

func TestTopoShowJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "topo", "show", "fattree:k=4", "--json")
	made, err := topo.Read(strings.NewReader(stdout))
	if status != 0 || stderr != "" || err != nil || len(made.Hosts) != 16 || len(made.Switches) != 20 {
		t.Errorf("status %d, stderr %q, %v, %.200s", status, stderr, err, stdout)
	}
	var with struct {
		Topology topo.Topology
		Ring     shownRing
	}
	stdout, stderr, status = hcomm(t, "topo", "show", "fattree:k=4", "--json", "--ring")
	err = json.Unmarshal([]byte(stdout), &with)
	if status != 0 || stderr != "" || err != nil || len(with.Topology.Links) != 48 || len(with.Ring.Order) != 16 {
		t.Errorf("status %d, stderr %q, %v, %.200s", status, stderr, err, stdout)
	}
}

func TestTopoShowSVG(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "topo", "show", "torus:3x3", "--ring", "--svg")
	svg, ring := strings.HasPrefix(stdout, "<svg "), strings.Contains(stdout, `class="r"`)
	if status != 0 || stderr != "" || !svg || !ring || strings.Count(stdout, "<circle ") != 18 {
		t.Errorf("status %d, stderr %q, %.200s", status, stderr, stdout)
	}
}

// The largest topologies are shown within seconds: where there are many hosts, only distances to one of them are looked for,
// and of many of these some are left out.
func TestTopoShowLarge(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"zones:32768+32768": "\nhosts, to h0  links between  bandwidth  latency\n32767         2              100Gbit    1µs\n32768         3              10Gbit     51µs\n",
		"torus:65536":       "\n2             52             100Gbit    26µs\n65336         …              …          …\n2             32721          100Gbit    16.36ms\n",
		"torus:64x64x16":    "\n1             74             100Gbit    37µs\n",
	} {
		stdout, stderr, status := hcomm(t, "topo", "show", spec)
		if status != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, stderr %q, %s", spec, status, stderr, stdout)
		}
	}
}

// Without an argument, this host is shown.
func TestTopoShowThisHost(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "topo", "show")
	one := strings.Contains(stdout, ": 1 host, 0 switches, 0 links") && strings.Contains(stdout, "processors 0")
	if status != 0 || stderr != "" || !one {
		t.Errorf("status %d, stderr %q, %s", status, stderr, stdout)
	}
}

func TestTopoShowErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wrong, unlike := filepath.Join(dir, "wrong.json"), filepath.Join(dir, "unlike.json")
	for path, text := range map[string]string{wrong: "{\n\"hosts\": [{\"nam\": 1}]}", unlike: `{"hosts": [{"name": ""}]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		wrong:                      wrong + `: line 2: hosts[0]: "nam" is not known; there are name, zone`,
		unlike:                     "topology " + unlike + `: host "": a host must have a name`,
		dir + "/none":              "topology " + dir + "/none: no such file or directory; it must be a file, or one of fattree",
		"sysfs:" + dir:             "topology sysfs:" + dir + ": devices/system/cpu/online lists no processors",
		"fattree:k=3":              "topology fattree:k=3: k is 3; it must be even",
		"/dev/zero":                "/dev/zero: it has more than 256 MiB",
		"zones:8193 --ring":        "topology zones:8193: there are 8193 nodes; a ring has 8192 at most",
		"zones:1 zones:2":          `"zones:2": only one topology can be shown`,
		"zones:2 --lanes many":     `topology zones:2: --lanes is "many"; it must be a number, or rails, or numa`,
		"zones:2 --lanes 2 --ring": "--ring and --lanes exclude each other",
		"zones:2 --svg --json":     "--svg and --json exclude each other",
		"zones:2000 --svg":         "--svg: it has 2000 hosts; a picture has 1 to 1024",
	} {
		stdout, stderr, status := hcomm(t, append([]string{"topo", "show"}, strings.Fields(args)...)...)
		if status != 125 || stdout != "" || !strings.HasPrefix(stderr, "hcomm topo show: "+want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}

func TestTopoShowLanes(t *testing.T) {
	t.Parallel()
	show := func(flags string) string {
		stdout, stderr, status := hcomm(t, strings.Fields("topo show rails:hosts=6,rails=4,leaf=2 "+flags)...)
		if status != 0 || stderr != "" {
			t.Errorf("%s: status %d, stderr %q", flags, status, stderr)
		}
		return stdout
	}
	_, got, _ := strings.Cut(show("--lanes numa"), "\nlane ")
	want := `          bandwidth  latency  from     order of hosts
NUMA domain 0  100Gbit    9.092µs  h0/nic0  h0 h1 h2 h3 h4 h5
NUMA domain 1  100Gbit    9.092µs  h0/nic2  h0 h1 h2 h3 h4 h5
links that two lanes share: 0, of which 0 cannot be avoided
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var with struct{ Lanes []shownLane }
	text := show("--lanes rails --json")
	if err := json.Unmarshal([]byte(text), &with); err != nil || len(with.Lanes) != 4 {
		t.Fatalf("%v, %s", err, text)
	}
	if last := with.Lanes[3]; last.Ports[1] != "h1/nic3" || *last.Bandwidth != 12.5e9 {
		t.Errorf("the last lane is %+v", last)
	}
	if text := show("--lanes 3 --svg"); strings.Count(text, `class="r" d="M`) != 3 || !strings.Contains(text, ">lane 2</text>") {
		t.Errorf("the picture is %s", text)
	}
}
