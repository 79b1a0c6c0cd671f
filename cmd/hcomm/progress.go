package main

import (
	"fmt"
	"io"
	"os"
)

// progress is a line on a terminal that says what is under way; on anything else, nothing.
type progress struct {
	w    io.Writer // nil: nothing
	line string    // that is there
}

// newProgress writes to the standard error, which is w, if that is a terminal.
func newProgress(w io.Writer) progress {
	if !isTerminal(os.Stderr) {
		return progress{}
	}
	return progress{w: w}
}

func (p *progress) say(line string) {
	if p.w != nil && line != p.line {
		p.line = line
		fmt.Fprintf(p.w, "\r\x1b[K  %s", line)
	}
}

// tell says how much is done of something, 0 to 1.
func (p *progress) tell(what string, fraction float64) {
	p.say(fmt.Sprintf("%s: %d %%", what, int(100*fraction)))
}

func (p *progress) clear() {
	if p.line != "" {
		p.line = ""
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
