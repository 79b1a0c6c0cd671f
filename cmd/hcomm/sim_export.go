package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hcomm/sim"
	"hcomm/sim/simgrid"
)

// exportSim simulates a job and writes it into a folder, for another simulator to do the same. The only format is simgrid.
func exportSim(format, dir, about string, job sim.Job, progress func(float64)) (*sim.Result, error) {
	if format != "simgrid" {
		return nil, fmt.Errorf("--export is %q; it must be simgrid", format)
	}
	e, result, err := simgrid.Record(job, progress)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	e.About = about
	create := func(name string) (io.WriteCloser, error) {
		mode := os.FileMode(0o644)
		if filepath.Ext(name) == ".sh" {
			mode = 0o755
		}
		return os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	}
	return result, simgrid.Write(e, create)
}
