// Command hcomm starts jobs and measures the library. Start at run.go; what runs a job is in launch/, what measures is in
// bench/.
// May import: all packages of the project.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hcomm/cmd/hcomm/launch"
)

func main() { os.Exit(execute(os.Args[1:])) }

// execute runs the command and returns its status.
func execute(args []string) int {
	status := 0
	root := newRoot(&status)
	root.SetArgs(args)
	if cmd, err := root.ExecuteC(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.CommandPath(), err)
		return launch.StatusFailed
	}
	return status
}

// newRoot makes the command line. Commands leave their status in *status.
func newRoot(status *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "hcomm",
		Short: "Starts and measures programs that communicate through libhcomm",
		Example: `  hcomm run -n 4 ./trainer            start four ranks on this host
  hcomm bench allreduce -n 2          measure allreduce among two ranks`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see: %s --help)", plainly(err), cmd.CommandPath())
	})
	root.AddCommand(newRun(status), newBench(status), newBenchRank(status), newVersion())
	return root
}

// plainly says what is wrong with a flag's value without strconv's words.
func plainly(err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := invalid.GetFlag()
	switch f.Value.Type() {
	case "int", "float64":
		return fmt.Errorf("--%s is %q; it must be a number", f.Name, invalid.GetValue())
	}
	return err
}
