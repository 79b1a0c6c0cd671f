package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcomm/plan"
)

const choiceHelp = `Says which algorithm the cost model chooses for which sizes of a block: where HCOMM_ALGO does not force one, and
no table says otherwise (hcomm tune --show has both). A block is the whole buffer, or in collectives whose buffers have a
block for each rank, one of these. Variables are not read.`

// chosen is a row: the algorithm for blocks of up to so many bytes, and more than the row before.
type chosen struct {
	Collective string `json:"collective"`
	UpTo       uint64 `json:"up_to_bytes,omitempty"` // absent: any size
	Algorithm  string `json:"algorithm"`
}

func newPlanChoice() *cobra.Command {
	var collective string
	var ranks int
	var deterministic, asJSON bool
	cmd := &cobra.Command{
		Use:     "choice --ranks N [flags]",
		Short:   "Say which algorithm the cost model chooses for which sizes",
		Long:    choiceHelp,
		Example: "  hcomm plan choice --ranks 4\n  hcomm plan choice --ranks 8 --collective allreduce --deterministic",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("ranks") {
				return fmt.Errorf("--ranks is missing (see: %s --help)", cmd.CommandPath())
			}
			if ranks < 1 || ranks > mostRanks {
				return fmt.Errorf("--ranks is %d; it must be 1 to %d", ranks, mostRanks)
			}
			which, err := collectivesNamed(collective)
			if err != nil {
				return err
			}
			var rows []chosen
			for _, c := range which {
				rows = append(rows, choice(c, ranks, deterministic)...)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), rows)
			}
			return writeChoice(cmd.OutOrStdout(), rows)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&collective, "collective", "", "only this one")
	flags.IntVar(&ranks, "ranks", 0, fmt.Sprintf("how many ranks, 1 to %d", mostRanks))
	flags.BoolVar(&deterministic, "deterministic", false, "with HCOMM_DETERMINISTIC=1")
	flags.BoolVar(&asJSON, "json", false, "write JSON; a row without up_to_bytes is for all larger sizes")
	return cmd
}

// collectivesNamed is the collective of this name, or all if there is none.
func collectivesNamed(name string) ([]plan.Collective, error) {
	if name == "" {
		return plan.Collectives(), nil
	}
	c, err := plan.ParseCollective(name)
	if err != nil {
		return nil, fmt.Errorf("--collective: %w", err)
	}
	return []plan.Collective{c}, nil
}

func choice(c plan.Collective, ranks int, deterministic bool) []chosen {
	least := plan.AnyOrder
	if c.Reduces() && deterministic {
		least = plan.LeftFold
	}
	var rows []chosen
	for _, s := range plan.Choices(c, least, plan.Host, ranks) {
		row := chosen{Collective: lower(c), Algorithm: s.Builder.Name}
		if s.Class < plan.Classes-1 {
			row.UpTo = 1 << s.Class
		}
		rows = append(rows, row)
	}
	return rows
}

func writeChoice(w io.Writer, rows []chosen) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "collective\tup to bytes\talgorithm")
	for _, r := range rows {
		size := "any"
		if r.UpTo > 0 {
			size = fmt.Sprint(r.UpTo)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Collective, size, r.Algorithm)
	}
	return table.Flush()
}
