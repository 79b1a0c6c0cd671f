package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is that of include/hcomm.h; the Makefile sets it.
var version = "(built without make)"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("hcomm %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
