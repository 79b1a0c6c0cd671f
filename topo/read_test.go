package topo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// What is written is read again.
func TestWrittenIsRead(t *testing.T) {
	for _, spec := range specs {
		want, err := Parse(spec, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := want.Write(&text); err != nil {
			t.Fatal(err)
		}
		got, err := Parse("file", func(string) ([]byte, error) { return text.Bytes(), nil })
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, and read again it differs:\n%s", spec, err, text.String())
		}
		var plain Topology
		if err := json.Unmarshal(text.Bytes(), &plain); err != nil || !reflect.DeepEqual(&plain, want) {
			t.Errorf("%s: %v, and for encoding/json it differs", spec, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	const host = `{"hosts": [{"name": "a", "nics": [{"name": "n"`
	for text, want := range map[string]string{
		``:                               "line 1: it ends too early",
		`[]`:                             "line 1: it is [; it must be an object",
		`null`:                           "it is null; it must be an object",
		`{}`:                             "line 1: hosts is missing",
		`{"host": []}`:                   `line 1: "host" is not known; there are name, hosts, switches, links`,
		"{\n\"Hosts\": []}":              `line 2: "Hosts" is not known`,
		`{"hosts": {}}`:                  "hosts: it is {; it must be a list",
		`{"hosts": [], "hosts": []}`:     "hosts: it is there twice",
		`{"hosts": [{}]}`:                "hosts[0]: name is missing",
		`{"hosts": [{"name": 1}]}`:       "hosts[0].name: it is 1; it must be a text",
		host + `, "speed": 1}]}]}`:       `hosts[0].nics[0]: "speed" is not known; there are name, numa, rail, bandwidth`,
		host + `, "rail": 1.5}]}]}`:      "hosts[0].nics[0].rail: it is 1.5; it must be a whole number",
		host + `, "rail": 3000000000`:    "it must be a whole number",
		host + `, "bandwidth": "1"}]}]}`: `hosts[0].nics[0].bandwidth: it is "1"; it must be a number`,
		host + `, "bandwidth": 1e999}`:   "it is 1e999; it must be a number",
		host + `}]}]} {`:                 "something follows the topology",
		host + "}]}],\n\"links\": [{\"a\": \"a/n\", \"b\": \"a/n\", \"bandwidth\": 1}]}": "line 2: links[0]: latency is missing",
		host:          "it ends too early",
		host + `}]}}`: "invalid character",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; it should say: %s", text, err, want)
		}
	}
	tooMany := `{"hosts": [` + strings.Repeat(`{"name": "a"},`, MostHosts) + `{"name": "a"}]}`
	if _, err := Read(strings.NewReader(tooMany)); err == nil || !strings.Contains(err.Error(), "hosts: it has more than 65536") {
		t.Errorf("of too many hosts, the error is %v", err)
	}
}

func TestNetworkErrors(t *testing.T) {
	const hosts = `{"hosts": [{"name": "a", "nics": [{"name": "n"}]}, {"name": "b", "nics": [{"name": "n"}]}], `
	for text, want := range map[string]string{
		`{"hosts": []}`:                                                                   "there are no hosts",
		`{"hosts": [{"name": ""}]}`:                                                       "a host must have a name",
		`{"hosts": [{"name": "a/b"}]}`:                                                    "without a slash",
		`{"hosts": [{"name": "a"}, {"name": "a"}]}`:                                       `host "a": there is another`,
		`{"hosts": [{"name": "a", "numa": [{"id": 1}, {"id": 1}]}]}`:                      "two NUMA domains 1",
		`{"hosts": [{"name": "a", "numa": [{"id": 1}], "nics": [{"name": "n"}]}]}`:        `NIC "n": the host has no NUMA domain 0`,
		`{"hosts": [{"name": "a", "memory": {"latency": -1}}]}`:                           "the memory's latency is -1",
		`{"hosts": [{"name": "a", "nics": [{"name": "n", "rail": -1}]}]}`:                 "a rail of 0 or more",
		hosts + `"switches": [{"name": "a"}]}`:                                            `switch "a"`,
		hosts + `"switches": [{"name": "a/n"}]}`:                                          `switch "a/n"`,
		hosts + `"switches": [{"name": "s/n"}]}`:                                          "has no slash",
		hosts + `"links": [{"a": "a/n", "b": "a", "bandwidth": 1, "latency": 0}]}`:        `link 0, from "a/n" to "a": "a" is no switch`,
		hosts + `"links": [{"a": "a/n", "b": "a/n", "bandwidth": 1, "latency": 0}]}`:      "both ends are the same",
		hosts + `"links": [{"a": "a/n", "b": "b/n", "bandwidth": 0, "latency": 0}]}`:      "a bandwidth above 0",
		hosts + `"links": [{"a": "a/n", "b": "b/n", "bandwidth": -1, "latency": 0}]}`:     "bandwidth is -1",
		hosts + `"links": [{"a": "a/n", "b": "b/n", "bandwidth": 1e-320, "latency": 0}]}`: "bandwidth is 1e-320; it must be in bytes a second, 0.001 to 1e+18",
		hosts + `"links": [{"a": "a/n", "b": "b/n", "bandwidth": 1, "latency": 1e300}]}`:  "latency is 1e+300; it must be in seconds, 0 to 1e+06",
		`{"hosts": [{"name": "a", "numa": [{"id": 0, "bandwidth": 1e300}]}]}`:             "bandwidth is 1e+300",
		`{"hosts": [{"name": "\u001b[2J"}]}`:                                              "can be printed",
		`{"hosts": [{"name": "a", "zone": "x\ny"}]}`:                                      "can be printed",
		`{"hosts": [{"name": "a", "nics": [{"name": "x\ty"}]}]}`:                          "can be printed",
		`{"name": "\u0000", "hosts": [{"name": "a"}]}`:                                    "can be printed",
		hosts + `"switches": [{"name": "s\r"}]}`:                                          "can be printed",
		hosts + `"switches": [{"name": "s", "zone": "\u202e"}]}`:                          "can be printed",
	} {
		topology, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := topology.Network(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; it should say: %s", text, err, want)
		}
	}
}

// What can be read can be written and read again, and has a network or an error.
func FuzzRead(f *testing.F) {
	for _, spec := range []string{"fattree:k=2,numa=2,bus=1GB", "zones:1+2"} {
		topology, err := Parse(spec, os.ReadFile)
		if err != nil {
			f.Fatal(err)
		}
		var text bytes.Buffer
		if err := topology.Write(&text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Add([]byte(`{"hosts": [{"name": "<&\u0000\ud800", "numa": [{"id": -1, "processors": [0]}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		topology, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := topology.Write(&written); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(written.Bytes()))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(topology) {
			t.Fatalf("%s\nis written as\n%s\nwhich is %v (%v), want %v", text, written.Bytes(), again, err, topology)
		}
		n, err := topology.Network()
		if err != nil || len(n.Hosts) < 2 || len(n.ports[0]) == 0 || len(n.ports[1]) == 0 {
			return
		}
		if _, err := n.Route(Port{0, 0}, Port{1, 0}); err == nil {
			if err := checkRoute(n, Port{0, 0}, Port{1, 0}); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	})
}

// The schema has the fields of the types, and says something of each type.
func TestSchema(t *testing.T) {
	var schema struct {
		Properties  map[string]any
		Required    []string
		Description string
		Defs        map[string]struct {
			Description string
			Required    []string
			Properties  map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{Host{}, Memory{}, NUMA{}, NIC{}, Switch{}, Link{}} {
		d := schema.Defs[reflect.TypeOf(v).Name()]
		if len(d.Properties) != reflect.TypeOf(v).NumField() || !strings.HasPrefix(d.Description, reflect.TypeOf(v).Name()+" ") {
			t.Errorf("of %T it has %+v", v, d)
		}
	}
	if got := schema.Defs["Link"].Required; fmt.Sprint(got) != "[a b bandwidth latency]" {
		t.Errorf("a link needs %v", got)
	}
	if fmt.Sprint(schema.Required) != "[hosts]" || !strings.HasPrefix(schema.Description, "Topology is a set") {
		t.Errorf("it is %+v", schema)
	}
}
