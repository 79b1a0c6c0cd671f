package simgrid

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"hcomm/topo"
)

var update = flag.Bool("update", false, "write testdata/two_ranks.txt anew")

// inMemory is a file that Write makes.
type inMemory struct{ bytes.Buffer }

func (*inMemory) Close() error { return nil }

// What is written for two ranks that send each other a message is what testdata has, and what SMPI is then tested with.
func TestFiles(t *testing.T) {
	var names []string
	files := map[string]*inMemory{}
	create := func(name string) (io.WriteCloser, error) {
		names, files[name] = append(names, name), &inMemory{}
		return files[name], nil
	}
	exchange := func(peer int) []Action {
		return []Action{
			{Seconds: 1e-6, Sends: []Message{{peer, 1, 65536}}},
			{Receives: []Message{{peer, 1, 65536}}, Seconds: 2.5e-6},
		}
	}
	e := Experiment{About: "two ranks -- an exchange", Network: star(t, 2), Lanes: []Lane{script{exchange(1), exchange(0)}.lane(ports(0, 1)...)}}
	if err := Write(e, create); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		fmt.Fprintf(&all, "== %s\n%s", name, &files[name].Buffer)
	}
	const golden = "testdata/two_ranks.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("-update would change %s to:\n%s", golden, &all)
	}
}

// What SMPI could not replay is an error that names the rank.
func TestErrors(t *testing.T) {
	n := star(t, 2)
	for _, c := range []struct {
		actions script
		ports   []topo.Port
		want    string
	}{
		{script{{}, {take(0)}}, ports(0, 1), "rank 1 of lane 0 awaits a message of rank 0, which sends it none"},
		{script{{send(2, 1)}, {}}, ports(0, 1), "rank 0 of lane 0 sends to rank 2; there are 2"},
		{script{{send(0, 1)}, {}}, ports(0, 1), "rank 0 of lane 0 sends to rank 0; there are 2"},
		{script{{send(1, 3e9)}, {take(0)}}, ports(0, 1), "rank 0 of lane 0 sends 3000000000 bytes; SMPI can have messages of 2147483647 at most"},
	} {
		err := Write(Experiment{Network: n, Lanes: []Lane{c.actions.lane(c.ports...)}}, func(string) (io.WriteCloser, error) { return &inMemory{}, nil })
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("the error is %v, not %s", err, c.want)
		}
	}
	full := fmt.Errorf("the disk is full")
	e := Experiment{Network: n, Lanes: []Lane{{Ports: ports(0), Actions: func(int) iter.Seq[Action] { return slices.Values([]Action(nil)) }}}}
	if err := Write(e, func(string) (io.WriteCloser, error) { return nil, full }); err == nil || !strings.Contains(err.Error(), full.Error()) {
		t.Errorf("the error is %v, not %v", err, full)
	}
}
