package main

import (
	"debug/elf"
	"fmt"
)

// readLibrary gives a shared library's name and what it exports.
func readLibrary(path string) (facts, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := facts{}
	if names, err := file.DynString(elf.DT_SONAME); err == nil && len(names) == 1 {
		found["library SONAME"] = names[0]
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols { // an absolute one is the name of a version
		if s.Section == elf.SHN_UNDEF || s.Section == elf.SHN_ABS || elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			continue
		}
		found["symbol "+s.Name] = symbolKind(s)
	}
	return found, nil
}

func symbolKind(s elf.Symbol) string {
	kind := "function"
	switch t := elf.ST_TYPE(s.Info); t {
	case elf.STT_FUNC:
	case elf.STT_OBJECT:
		kind = fmt.Sprintf("object of %d bytes", s.Size) // programs have a copy of it
	default:
		kind = t.String()
	}
	if s.Version != "" {
		kind += ", version " + s.Version
	}
	return kind
}
