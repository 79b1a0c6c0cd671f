package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const topoHelp = `Shows what lies between the hosts of a job (switches, links), and finds the order in which nodes pass data
on. docs/ring.md is the manual.`

func newTopo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topo COMMAND",
		Short: "Show topologies, and find rings over the links between nodes",
		Long:  topoHelp,
	}
	cmd.AddCommand(newTopoShow(), newTopoRing())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%q is not known here; there are: %s", args[0], strings.Join(commands(cmd), ", "))
		}
		return fmt.Errorf("say one of: %s (see: %s --help)", strings.Join(commands(cmd), ", "), cmd.CommandPath())
	}
	return cmd
}
