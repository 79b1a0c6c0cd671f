package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

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
	cmd, err := root.ExecuteC()
	if err == nil {
		return status
	}
	if _, _, unknown := root.Find(args); unknown != nil {
		err = fmt.Errorf("%w; there are: %s", err, strings.Join(commands(root), ", "))
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.CommandPath(), err)
	return launch.StatusFailed
}

// newRoot makes the command line. Commands leave their status in *status.
func newRoot(status *int) *cobra.Command {
	root := &cobra.Command{
		Use:   "hcomm",
		Short: "Starts and measures programs that communicate through libhcomm",
		Example: `  hcomm run -n 4 ./program            start four ranks on this host
  hcomm bench allreduce -n 2          measure allreduce among two ranks
  hcomm tune -n 4 -o tune.json        find out which algorithms are the fastest here
  hcomm plan list                     the algorithms that there are
  hcomm topo ring --matrix FILE       an order of nodes in which they pass data on
  hcomm sim --help                    simulate a collective on a network that need not be there
  hcomm env                           the settings, and where their values come from
  hcomm status                        what running programs do, and who is late`,
		Version:            version,
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // an unknown command is answered with all that there are
	}
	root.SetVersionTemplate(versionLine())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see: %s --help)", plainly(err), cmd.CommandPath())
	})
	root.AddCommand(newRun(status), newBench(status), newBenchRank(status), newPlan(), newTune(status), newTuneRank(status), newTopo(), newSim(), newEnv(status), newStatus(status), newVersion())
	root.SetHelpCommand(newHelp(root))
	return root
}

// commands are the names of what the help shows.
func commands(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// newHelp makes the command help. Cobra's own succeeds for a command that there is not.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("there is no command %q; there are: %s", strings.Join(args, " "), strings.Join(commands(root), ", "))
			}
			cmd.InitDefaultHelpFlag() // these have lines in the help, as with --help
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
}

// noArguments refuses what follows a command that takes flags only.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: only flags may follow", args[0])
	}
	return nil
}

// plainly says what is wrong with a flag's value without strconv's words.
func plainly(err error) error {
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := invalid.GetFlag()
	switch {
	case f.Value.Type() == "int" && f.Shorthand == "":
		return fmt.Errorf("--%s is %q; it must be a whole number", f.Name, invalid.GetValue())
	case f.Name == "ranks" && invalid.GetValue() == "p": // MPI's -np reads as -n p; the number would be the program
		return errors.New("-np is not known here; say -n 4")
	case f.Name == "ranks":
		return fmt.Errorf("-n (--ranks) is %q; it must be a number, 1 to %d", invalid.GetValue(), launch.MaxRanks)
	case f.Value.Type() == "float64":
		return fmt.Errorf("--%s is %q; it must be a number", f.Name, invalid.GetValue())
	}
	return err
}
