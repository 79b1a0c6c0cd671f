package simgrid

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Write writes the experiment's files, each to what create gives for its name.
func Write(e Experiment, create func(name string) (io.WriteCloser, error)) error {
	w, err := e.wires()
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(*bufio.Writer) error
	}{
		{"platform.xml", w.platform},
		{"hostfile", w.hostfile},
		{"trace.txt", w.trace},
		{"traces", func(b *bufio.Writer) error { return line(b, "trace.txt") }}, // one, which has the actions of all
		{"run.sh", w.script},
	} {
		if err := writeFile(create, file.name, file.write); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return nil
}

func writeFile(create func(string) (io.WriteCloser, error), name string, write func(*bufio.Writer) error) (err error) {
	f, err := create(name)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// line writes one. The buffer keeps the first error, and gives it when it is flushed.
func line(b *bufio.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(b, format+"\n", args...)
	return err
}

// hostfile names the hosts of the processes: those of ranks, then the wires.
func (w *wiring) hostfile(b *bufio.Writer) error {
	for p := range w.ranks {
		line(b, "%s", w.rankHost(p))
	}
	for _, wire := range w.all {
		line(b, "%s", w.wireHost(wire))
	}
	return nil
}

// options make SMPI model what package sim does.
var options = []struct{ option, why string }{
	{"network/model:CM02", "flows share links max-min fairly,"},
	{"network/TCP-gamma:1e30", "  which no window bounds"},
	{"network/weight-S:0", "  and no bandwidth weights"},
	{"network/crosstraffic:0", "  and no acknowledgements share"},
	{"network/latency-factor:1", "latencies are what the platform says,"},
	{"network/bandwidth-factor:1", "  and so are bandwidths"},
	{"smpi/os:0:0:0", "to send takes a rank no time: the trace has it as computing,"},
	{"smpi/ois:0:0:0", "  nor to begin to,"},
	{"smpi/or:0:0:0", "  nor to receive"},
	{"smpi/send-is-detached-thresh:2147483647", "nobody waits until a message that he sends is received;"},
	{"smpi/async-small-thresh:1", "  data sets out when it is received, word of it when it is sent"},
	{"smpi/host-speed:1Gf", "for programs that are run, not replayed"},
	{"surf/precision:1e-13", "seconds"},
	{"maxmin/precision:1e-12", "parts of a bandwidth"},
}

// script writes one that replays the trace, and prints when it ends.
func (w *wiring) script(b *bufio.Writer) error {
	line(b, "#!/bin/sh")
	line(b, "# Replays %s", w.about())
	line(b, "# Prints the seconds that it takes. Further arguments are smpirun's. It needs SimGrid (Debian: libsimgrid-dev).")
	line(b, "#")
	for _, o := range options {
		line(b, "#   %-40s %s", o.option, o.why)
	}
	line(b, "set -eu")
	line(b, `cd "$(dirname "$0")"`)
	line(b, `exec smpirun -np %d -platform platform.xml -hostfile hostfile -replay traces \`, w.ranks+len(w.all))
	line(b, `  --log=root.thres:warning --log=smpi_replay.thres:info --log=root.fmt:%%.12r%%eseconds:%%e%%m%%n \`)
	for _, o := range options {
		line(b, `  --cfg=%s \`, o.option)
	}
	return line(b, `  "$@"`)
}

// about is what the experiment is, on one line.
func (w *wiring) about() string { return strings.Join(strings.Fields(w.About), " ") }
