package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hcomm/plan"
	"hcomm/topo"
)

const simHelp = `Says how long a collective takes on a network that need not be there, and what it sends over the links. The
algorithms are those of the library (hcomm plan list); each message is a flow over its route, and flows share every link
fairly. docs/ring.md says what else is assumed.

Several sizes, ranks, algorithms or orders are simulated one after the other, and shown in a table, or with --svg as curves
over sizes, or over ranks if there is one size. Sizes are in bytes, or with K, M, G for powers of 1024: those of a block, as
in hcomm bench. 1K..64M is 1K, 2K, 4K and so on; likewise 128..4096 for ranks.

Rank 0 is on the first host of the topology, rank 1 on the second one, and so on, or so many on each (--per-host). The order
is that along which the algorithm goes:

rank         0, 1, 2, …
random:SEED  a random one; random is random:1
ring         the ring that is built for the network (hcomm topo ring)

With lanes, the data are cut into as many equal parts, which go at the same time over NICs of their own where there are enough;
each lane has a ring of its own with the order ring.

traversals  how many links outside of hosts a byte crosses, in the mean over all messages
trunk       of these, the links between switches
busiest     the link with most bytes, and how many

The times of --json are in seconds. --export writes the simulation for another simulator, too: simgrid makes a platform and
traces for SimGrid's SMPI in the FOLDER, and run.sh, which has smpirun replay them.

Topologies are files in JSON (docs/topology.schema.json), or are generated:

`

const simExample = `  hcomm sim --topology fattree:k=8 --algo ring --bytes 64M --order rank,random,ring
  hcomm sim --topology zones:64+64 --algo ring,double-tree --bytes 1K..64M --order ring --svg > zones.svg
  hcomm sim --topology fattree:k=26 --algo ring --bytes 64M --ranks 128..4096
  hcomm sim --topology rails:hosts=256,rails=8 --algo ring --bytes 64M --order ring --lanes rails
  hcomm sim --topology torus:4x4 --algo ring --bytes 1M --export simgrid torus`

// simFlags are the flags of sim.
type simFlags struct {
	topology, collective, bytes, ranks string
	algos, orders                      []string
	lanes, processors, slice, export   string
	perHost, root                      int
	grain                              float64
	json, svg                          bool
}

func newSim() *cobra.Command {
	var f simFlags
	cmd := &cobra.Command{
		Use:     "sim --topology TOPOLOGY --algo ALGORITHMS --bytes SIZES [flags] [FOLDER]",
		Short:   "Simulate a collective on a network of up to thousands of ranks",
		Long:    simHelp + topo.Help(),
		Example: simExample,
		RunE:    f.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.topology, "topology", "", "the `TOPOLOGY` of the network, as said above")
	flags.StringVar(&f.collective, "collective", lower(plan.AllReduce), "which `COLLECTIVE`")
	flags.StringSliceVar(&f.algos, "algo", nil, "the `ALGORITHMS`, such as ring,double-tree; hcomm plan list has all")
	flags.StringVar(&f.bytes, "bytes", "", "the `SIZES`, such as 64M, or 1K,1M, or 1K..64M")
	flags.StringVar(&f.ranks, "ranks", "", "how many `RANKS`, such as 128, or 128..4096 (default: all that the hosts hold)")
	flags.IntVar(&f.perHost, "per-host", 1, "`N` ranks are on each host")
	flags.StringSliceVar(&f.orders, "order", []string{"rank"}, "the `ORDERS`: rank, random, random:SEED, ring")
	flags.StringVar(&f.lanes, "lanes", "1", "how many `LANES`: a number, or rails (one for each), or numa (one for each domain with a NIC)")
	flags.IntVar(&f.root, "root", 0, "the `RANK` that is the root, of a collective that has one")
	flags.StringVar(&f.processors, "processors", "host", "the `MODEL` of processors: host, whose copying and reducing takes time, or ideal")
	flags.StringVar(&f.slice, "slice", "1M", "the `SIZE` of slices that larger parts are sent in; 0: parts are sent whole")
	flags.Float64Var(&f.grain, "grain", 0, "`SECONDS` within which changes are handled at once: less exact, and faster where many are")
	flags.StringVar(&f.export, "export", "", "write the simulation for another `SIMULATOR`, simgrid, into the FOLDER")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.BoolVar(&f.svg, "svg", false, "write curves as SVG to the standard output")
	return cmd
}

// run does what the flags say.
func (f *simFlags) run(cmd *cobra.Command, args []string) error {
	s, err := f.parse(cmd, args)
	if err != nil {
		return err
	}
	rows, err := s.simulate(cmd.ErrOrStderr(), f.export, args)
	if err != nil {
		return err
	}
	switch {
	case f.json:
		return writeJSON(cmd.OutOrStdout(), rows)
	case f.svg:
		return s.writeCurves(cmd.OutOrStdout(), rows)
	}
	return writeSim(cmd.OutOrStdout(), rows)
}

// meaning says which flags are missing, or say nothing.
func (f *simFlags) meaning(cmd *cobra.Command, args []string) error {
	c, err := plan.ParseCollective(f.collective)
	if err != nil {
		return fmt.Errorf("--collective: %w", err)
	}
	changed := cmd.Flags().Changed
	for _, needed := range []string{"topology", "algo", "bytes"} {
		if !changed(needed) && !(needed == "bytes" && c == plan.Barrier) {
			return fmt.Errorf("--%s is missing (see: %s --help)", needed, cmd.CommandPath())
		}
	}
	switch {
	case c == plan.Barrier && changed("bytes"):
		return fmt.Errorf("--bytes has no meaning for a barrier")
	case !c.Rooted() && changed("root"):
		return fmt.Errorf("--root has no meaning for %s", lower(c))
	case f.json && f.svg:
		return fmt.Errorf("--json and --svg exclude each other")
	case f.export == "" && len(args) > 0:
		return fmt.Errorf("%q: only flags may follow", args[0])
	case f.export != "" && len(args) != 1:
		return fmt.Errorf("--export %s needs the name of one folder, and %d follow", f.export, len(args))
	}
	return nil
}
