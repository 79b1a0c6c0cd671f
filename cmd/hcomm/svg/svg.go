package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Style is what each picture's style begins with. Pictures have a paper of their own, for the page around them may be light
// or dark.
const Style = `svg{font-family:sans-serif;font-size:12px}
text{fill:#111827}
`

// Buffer is a picture that is being written.
type Buffer struct{ bytes.Buffer }

// Printf adds to it.
func (b *Buffer) Printf(format string, a ...any) { fmt.Fprintf(b, format, a...) }

// Escape is text as XML has it.
func Escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
