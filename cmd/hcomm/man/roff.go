package man

import (
	"fmt"
	"regexp"
	"strings"
)

var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escape writes a text so that troff prints these very characters.
func escape(s string) string { return roff.Replace(s) }

// line is a line of text, which must not look like a request.
func line(s string) string {
	s = escape(s)
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}

func verbatim(b *strings.Builder, text string) {
	fmt.Fprintf(b, ".nf\n")
	for _, l := range strings.Split(text, "\n") {
		fmt.Fprintf(b, "%s\n", line(strings.TrimPrefix(l, "  ")))
	}
	fmt.Fprintf(b, ".fi\n")
}

// item is "  term   what it means", at the beginning of a line or indented.
var item = regexp.MustCompile(`^( *)(\S+(?: \S+)*)  +(\S.*)$`)

// prose sets a help text. In it, paragraphs are apart by an empty line; in a paragraph, a line with a term, two spaces or
// more, and its meaning is an item of a list; what follows it and is indented further belongs to it: the rest of the
// meaning, or a list within.
func prose(b *strings.Builder, text string) {
	var open []int // the indentations of the lists that are open
	closeTo := func(indent int) {
		for len(open) > 0 && open[len(open)-1] > indent {
			if open = open[:len(open)-1]; len(open) > 0 {
				fmt.Fprintf(b, ".RE\n")
			}
		}
	}
	for _, l := range strings.Split(text, "\n") {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		found := item.FindStringSubmatch(l)
		switch {
		case l == "":
			closeTo(-1)
			fmt.Fprintf(b, ".PP\n")
		case found != nil:
			closeTo(indent)
			if len(open) == 0 || open[len(open)-1] < indent {
				if len(open) > 0 {
					fmt.Fprintf(b, ".RS\n")
				}
				open = append(open, indent)
			}
			fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", escape(found[2]), line(found[3]))
		default:
			fmt.Fprintf(b, "%s\n", line(strings.TrimLeft(l, " ")))
		}
	}
	closeTo(-1)
}
