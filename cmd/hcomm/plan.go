package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcomm/plan"
)

const planHelp = `Shows the algorithms that the library has, and the programs that they make for the ranks: what a rank
sends, receives, reduces and stores, and in which order. Nothing is run.

An algorithm is forced by the variable HCOMM_ALGO, such as HCOMM_ALGO=allreduce:ring,reduce:chain; docs/collectives.md
says what each does, what it costs, and when it is chosen without that.`

const listHelp = `Lists every collective:algorithm with what it does and, for reductions, what it keeps of the order of
the ranks' operands x0, x1, …`

func newPlan() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan list|show|choice",
		Short: "Show the algorithms and what each rank does in them",
		Long:  planHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q is not known here; say list, show or choice", args[0])
			}
			return fmt.Errorf("say list, show or choice (see: %s --help)", cmd.CommandPath())
		},
	}
	cmd.AddCommand(newPlanList(), newPlanShow(), newPlanChoice())
	return cmd
}

func newPlanList() *cobra.Command {
	var collective string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List the algorithms",
		Long:    listHelp,
		Example: "  hcomm plan list\n  hcomm plan list --collective allreduce --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			which, err := collectivesNamed(collective)
			if err != nil {
				return err
			}
			var all []plan.Builder
			for _, c := range which {
				all = append(all, plan.Builders(c)...)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), listed(all))
			}
			return writeList(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().StringVar(&collective, "collective", "", "only those for this collective")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func writeList(w io.Writer, all []plan.Builder) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "algorithm\torder\twhat it does")
	for _, b := range all {
		order := "-"
		if b.Collective.Reduces() {
			order = b.Order.String()
		}
		fmt.Fprintf(table, "%s:%s\t%s\t%s\n", lower(b.Collective), b.Name, order, b.About)
	}
	return table.Flush()
}

// lower is a collective as it is written on the command line.
func lower(c plan.Collective) string { return strings.ToLower(c.String()) }

func writeJSON(w io.Writer, document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
