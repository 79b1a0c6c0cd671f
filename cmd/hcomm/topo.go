package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const topoHelp = `Works on what lies between the nodes of a job: the links between them, and the order in which they pass
data on.`

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
