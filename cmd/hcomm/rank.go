package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// newRank makes the hidden command that another one, the name, starts as its ranks, each with a plan.
func newRank[Plan any, Runner interface {
	*Plan
	RunRank(out, errors io.Writer) error
}](name string, status *int) *cobra.Command {
	return &cobra.Command{
		Use:    name + "-rank PLAN",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			plan := Runner(new(Plan))
			if err := json.Unmarshal([]byte(args[0]), plan); err != nil {
				return err
			}
			if err := plan.RunRank(os.Stdout, os.Stderr); err != nil {
				fmt.Fprintf(os.Stderr, "hcomm %s: %v\n", name, err)
				*status = 1
			}
			return nil
		},
	}
}
