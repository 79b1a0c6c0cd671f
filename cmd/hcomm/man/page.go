package man

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hcomm/settings"
)

// Pages gives the pages of a command and of all below it by their files' names: hcomm-run.1.
func Pages(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		pages[name(c)+".1"] = page(c)
		for _, below := range shown(c) {
			add(below)
		}
	}
	add(root)
	return pages
}

// name is that of a command's page.
func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// shown are the commands below one that its help shows, too.
func shown(c *cobra.Command) (list []*cobra.Command) {
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			list = append(list, below)
		}
	}
	return list
}

// page has neither a date nor a version, so that it changes only when it says something else.
func page(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Made by make docs from the command's own help.\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" hcomm \"User Commands\"\n", strings.ToUpper(escape(name(c))))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name(c)), escape(lowerFirst(c.Short)))
	synopsis(&b, c)
	fmt.Fprintf(&b, ".SH DESCRIPTION\n")
	if c.Long != "" {
		prose(&b, c.Long)
	} else {
		prose(&b, c.Short+".")
	}
	commands(&b, c)
	options(&b, c)
	if !c.HasParent() {
		environment(&b)
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n")
		verbatim(&b, c.Example)
	}
	seeAlso(&b, c)
	return b.String()
}

// synopsis has a line for the command, or if it only holds others, for each of these.
func synopsis(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, ".SH SYNOPSIS\n.nf\n")
	lines := []*cobra.Command{c}
	if below := shown(c); len(below) > 0 {
		lines = below
	}
	for _, l := range lines {
		path := l.CommandPath()
		fmt.Fprintf(b, "\\fB%s\\fR%s\n", escape(path), escape(strings.TrimPrefix(l.UseLine(), path)))
	}
	fmt.Fprintf(b, ".fi\n")
}

func commands(b *strings.Builder, c *cobra.Command) {
	below := shown(c)
	if len(below) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH COMMANDS\n")
	for _, s := range below {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR(1)\n%s\n", escape(name(s)), line(s.Short+"."))
	}
}

func options(b *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	fmt.Fprintf(b, ".SH OPTIONS\n")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", escape(f.Shorthand))
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", escape(f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", escape(value))
		}
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "\n%s\n", line(usage))
	})
}

// environment is the table of the library's variables.
func environment(b *strings.Builder) {
	fmt.Fprintf(b, ".SH ENVIRONMENT\n")
	for _, s := range settings.Table {
		rule := s.Range
		if s.Default != "" {
			rule += "; default " + s.Default
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR (%s)\n%s\n", escape(s.Name), escape(rule), line(s.Help+"."))
	}
	var agreed []string
	for _, s := range settings.Table {
		if s.Agreed {
			agreed = append(agreed, s.Name)
		}
	}
	fmt.Fprintf(b, ".PP\n%s\n", line("Of "+strings.Join(agreed, ", ")+
		" rank 0's values are everyone's; a rank that has set one otherwise is an error."))
}

// seeAlso names the page above, those below, and the library's.
func seeAlso(b *strings.Builder, c *cobra.Command) {
	var pages []string
	if c.HasParent() {
		for _, beside := range append([]*cobra.Command{c.Parent()}, shown(c.Parent())...) {
			if beside != c {
				pages = append(pages, fmt.Sprintf("\\fB%s\\fR(1)", escape(name(beside))))
			}
		}
	}
	for _, below := range shown(c) {
		pages = append(pages, fmt.Sprintf("\\fB%s\\fR(1)", escape(name(below))))
	}
	pages = append(pages, "\\fBlibhcomm\\fR(3)", "\\fBhcomm\\fR(7)")
	fmt.Fprintf(b, ".SH \"SEE ALSO\"\n%s\n", strings.Join(pages, ",\n"))
}

// lowerFirst is for the line of NAME, as such pages have it.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
