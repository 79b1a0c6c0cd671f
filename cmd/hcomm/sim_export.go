package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

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
	e.About = about
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return result, whole(ctx, dir, func(create func(string) (io.WriteCloser, error)) error { return simgrid.Write(e, create) })
}
