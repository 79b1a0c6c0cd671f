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
		Args:  cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprint(cmd.OutOrStdout(), versionLine())
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("hcomm %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
