package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/topodraw"
	"hcomm/lanes"
	"hcomm/ring"
	"hcomm/topo"
)

const topoShowHelp = `Shows a topology: what hosts, switches and links there are, and how far the first NICs of hosts are from each
other. The topology is

FILE          in JSON, as docs/topology.schema.json has it; - is the standard input
sysfs:FOLDER  a host, read from a folder such as /sys, or a copy of one; sysfs:/sys if nothing is said

or one of those below, with values after a colon and commas between them. Bandwidths are such as 100Gbit or 12.5GB,
times such as 500ns. What is in brackets holds if it is not said.

`

const topoShowExample = `  hcomm topo show
  hcomm topo show fattree:k=8
  hcomm topo show zones:16+16,slow=1Gbit --ring --svg > ring.svg
  hcomm topo show rails:hosts=64,rails=4 --lanes rails --svg > rails.svg
  hcomm topo show rails:hosts=64,rails=4 --json > rails.json`

// topoShowFlags are the flags of topo show.
type topoShowFlags struct {
	json, ring, svg bool
	lanes           string
}

func newTopoShow() *cobra.Command {
	var f topoShowFlags
	cmd := &cobra.Command{
		Use:     "show [TOPOLOGY] [flags]",
		Short:   "Show hosts, switches and links, and rings over them",
		Long:    topoShowHelp + topo.Help(),
		Example: topoShowExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%q: only one topology can be shown", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			spec := "sysfs:/sys"
			if len(args) > 0 {
				spec = args[0]
			}
			return f.show(cmd, spec)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "write JSON: the topology, or with rings an object of topology and rings")
	cmd.Flags().BoolVar(&f.svg, "svg", false, fmt.Sprintf("write a picture, of %d hosts at most", topodraw.MostHosts))
	cmd.Flags().BoolVar(&f.ring, "ring", false, "find a ring over the first NIC of each host, and show it, too")
	several := "find so many rings, and show them, too: `N`, or rails (one for each), or numa (one for each domain with a NIC)"
	cmd.Flags().StringVar(&f.lanes, "lanes", "", several)
	return cmd
}

// readTopology makes the topology that the command line names.
func readTopology(stdin io.Reader, spec string) (*topo.Topology, error) {
	if folder, ok := strings.CutPrefix(spec, "sysfs:"); ok {
		name, err := os.Hostname()
		if err != nil || folder != "/sys" {
			name = "host"
		}
		t, err := topo.ReadSysfs(os.DirFS(folder), name)
		if err != nil {
			return nil, fmt.Errorf("topology %s: %w", spec, err)
		}
		return t, nil
	}
	return topo.Parse(spec, func(file string) ([]byte, error) {
		if file == "-" {
			return io.ReadAll(io.LimitReader(stdin, topo.MostText+1))
		}
		text, err := readBounded(file)
		if failed, ok := errors.AsType[*os.PathError](err); ok {
			err = failed.Err // the name is in the error already
		}
		return text, err
	})
}

// readBounded reads a file, and of one without end only so much that [topo.Read] can say that it is too long.
func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, topo.MostText+1))
}

// shownTopology is what there is to show. A rank of its rings is a host.
type shownTopology struct {
	network *topo.Network
	ring    *ring.Ring // or nil
	lanes   []lanes.Lane
}

func (f *topoShowFlags) show(cmd *cobra.Command, spec string) error {
	switch {
	case f.json && f.svg:
		return errors.New("--svg and --json exclude each other")
	case f.ring && f.lanes != "":
		return errors.New("--ring and --lanes exclude each other")
	}
	t, err := readTopology(cmd.InOrStdin(), spec)
	if err != nil {
		return err
	}
	if t.Name == "" {
		t.Name = spec
	}
	var s shownTopology
	if s.network, err = t.Network(); err != nil {
		return fmt.Errorf("topology %s: %w", spec, err)
	}
	p := newProgress(cmd.ErrOrStderr())
	if f.ring {
		s.ring, err = firstRing(s.network, p.tell)
	} else if f.lanes != "" {
		s.lanes, err = s.findLanes(f.lanes, p.tell)
	}
	p.clear()
	if err != nil {
		return fmt.Errorf("topology %s: %w", spec, err)
	}
	switch {
	case f.json:
		return s.writeJSON(cmd.OutOrStdout())
	case f.svg:
		return s.writeSVG(cmd.OutOrStdout())
	}
	return s.writeText(cmd.OutOrStdout())
}

// firstRing is one over the first NIC of each host.
func firstRing(n *topo.Network, progress func(string, float64)) (*ring.Ring, error) {
	ports := make([]topo.Port, len(n.Hosts))
	for i := range ports {
		ports[i].Host = i
	}
	links, err := n.RingLinks(ports)
	if err != nil {
		return nil, err
	}
	return ring.Build(links, ring.Options{Progress: progress})
}

// findLanes finds as many as a word asks for.
func (s *shownTopology) findLanes(word string, progress func(string, float64)) ([]lanes.Lane, error) {
	ask := lanes.Ask{By: lanes.Number, Progress: progress}
	switch n, err := strconv.Atoi(word); {
	case word == "rails":
		ask.By = lanes.Rail
	case word == "numa":
		ask.By = lanes.Domain
	case err != nil:
		return nil, fmt.Errorf("--lanes is %q; it must be a number, or rails, or numa", word)
	default:
		ask.Lanes = n
	}
	hosts := make([]int, len(s.network.Hosts))
	for i := range hosts {
		hosts[i] = i
	}
	return lanes.Build(s.network, hosts, ask)
}

func (s *shownTopology) hostNames() []string {
	names := make([]string, len(s.network.Hosts))
	for i, h := range s.network.Hosts {
		names[i] = h.Name
	}
	return names
}

// shownTopologyDocument is what topo show --json writes if there are rings. Fields are added, but neither renamed nor
// removed. Rings are over the hosts, by their numbers in the topology.
type shownTopologyDocument struct {
	Topology *topo.Topology `json:"topology"`
	Ring     *shownRing     `json:"ring,omitempty"`
	Lanes    []shownLane    `json:"lanes,omitempty"`
}

type shownLane struct {
	Name      string   `json:"name"`
	Order     []int    `json:"order"`
	Ports     []string `json:"ports"`     // in that order
	Total     float64  `json:"total"`     // seconds
	Bandwidth *float64 `json:"bandwidth"` // bytes a second; null if nothing limits it
}

func (s *shownTopology) writeJSON(w io.Writer) error {
	if s.ring == nil && s.lanes == nil {
		return s.network.Topology.Write(w)
	}
	d := shownTopologyDocument{Topology: s.network.Topology}
	if s.ring != nil {
		r := shownRingOf(s.ring, s.hostNames())
		d.Ring = &r
	}
	for _, l := range s.lanes {
		shown := shownLane{l.Name, l.Order, nil, l.Total, finite(l.Bandwidth)}
		for _, host := range l.Order {
			shown.Ports = append(shown.Ports, s.portName(l.Ports[host]))
		}
		d.Lanes = append(d.Lanes, shown)
	}
	return writeJSON(w, d)
}

func (s *shownTopology) portName(p topo.Port) string {
	h := &s.network.Hosts[p.Host]
	return h.Name + "/" + h.NICs[p.NIC].Name
}

func (s *shownTopology) writeSVG(w io.Writer) error {
	p := topodraw.Picture{Title: s.network.Name, Topology: s.network.Topology}
	if s.ring != nil {
		p.Rings = append(p.Rings, topodraw.Ring{Name: "ring", Hosts: s.ring.Order})
	}
	for _, l := range s.lanes {
		p.Rings = append(p.Rings, topodraw.Ring{Name: l.Name, Hosts: l.Order})
	}
	text, err := p.SVG()
	if err != nil {
		return fmt.Errorf("--svg: %w", err)
	}
	_, err = w.Write(text)
	return err
}
