package tune

import (
	_ "embed"
	"sync"
)

// BuiltIn is the origin of what the library has without a file.
const BuiltIn = "built in"

//go:embed default.json
var builtIn string

// Default is the table that is built in.
var Default = sync.OnceValue(func() Table {
	t, err := Parse(BuiltIn, builtIn)
	if err != nil {
		panic("tune: " + err.Error())
	}
	return t
})

// Load is the table of a file where it has something to say, and the one that is built in. "" is no file.
func Load(path string) (Table, error) {
	if path == "" {
		return Default(), nil
	}
	t, err := Open(path)
	if err != nil {
		return nil, err
	}
	return t.Over(Default()), nil
}
