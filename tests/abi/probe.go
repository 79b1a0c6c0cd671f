package main

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// probe is the object of a program that uses everything in the header.
type probe struct {
	file         *elf.File
	dwarf        *dwarf.Data
	symbols      map[string]elf.Symbol
	variables    map[string]dwarf.Offset // of their types
	unnamedEnums []*dwarf.EnumType       // of the header
	values       map[string]bool         // the macros that have one
}

func openProbe(path, header string, values map[string]bool) (*probe, error) {
	p := &probe{symbols: map[string]elf.Symbol{}, variables: map[string]dwarf.Offset{}, values: values}
	var err error
	if p.file, err = elf.Open(path); err != nil {
		return nil, err
	}
	if p.dwarf, err = p.file.DWARF(); err != nil {
		return nil, err
	}
	symbols, err := p.file.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		p.symbols[s.Name] = s
	}
	return p, globals(p.dwarf, func(e *dwarf.Entry, file string) error { return p.add(e, file == header) })
}

func (p *probe) close() { p.file.Close() }

func (p *probe) add(e *dwarf.Entry, ours bool) error {
	name, _ := e.Val(dwarf.AttrName).(string)
	switch e.Tag {
	case dwarf.TagVariable:
		p.variables[name], _ = e.Val(dwarf.AttrType).(dwarf.Offset)
	case dwarf.TagEnumerationType:
		t, err := p.dwarf.Type(e.Offset)
		if err != nil {
			return err
		}
		if enum, ok := t.(*dwarf.EnumType); ok && ours && name == "" {
			p.unnamedEnums = append(p.unnamedEnums, enum)
		}
	}
	return nil
}

// globals calls do for what a program has outside of functions and types, with the file that declares it.
func globals(d *dwarf.Data, do func(e *dwarf.Entry, file string) error) error {
	var files []*dwarf.LineFile
	r := d.Reader()
	for {
		e, err := r.Next()
		if e == nil || err != nil {
			return err
		}
		if e.Tag == dwarf.TagCompileUnit {
			lines, err := d.LineReader(e)
			if err != nil {
				return err
			}
			files = lines.Files()
			continue
		}
		file := ""
		if i, ok := e.Val(dwarf.AttrDeclFile).(int64); ok && i < int64(len(files)) && files[i] != nil {
			file = files[i].Name
		}
		if err := do(e, file); err != nil {
			return err
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}

// typesIn gives the header's types that have a name and a size, as C spells them.
func typesIn(object, header string) ([]string, error) {
	file, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := file.DWARF()
	if err != nil {
		return nil, err
	}
	words := map[dwarf.Tag]string{dwarf.TagTypedef: "", dwarf.TagStructType: "struct ", dwarf.TagUnionType: "union ", dwarf.TagEnumerationType: "enum "}
	var found []string
	err = globals(d, func(e *dwarf.Entry, file string) error {
		name, named := e.Val(dwarf.AttrName).(string)
		word, isType := words[e.Tag]
		if incomplete, _ := e.Val(dwarf.AttrDeclaration).(bool); named && isType && !incomplete && file == header {
			found = append(found, word+name)
		}
		return nil
	})
	return found, err
}

// pointed is the type that a variable of the probe points to.
func (p *probe) pointed(variable string) (dwarf.Type, error) {
	t, err := p.dwarf.Type(p.variables[variable])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	pointer, ok := t.(*dwarf.PtrType)
	if !ok {
		return nil, fmt.Errorf("%s is no pointer, but %s", variable, t)
	}
	return pointer.Type, nil
}

// bytes is the contents of a constant of the probe.
func (p *probe) bytes(variable string) ([]byte, error) {
	s, ok := p.symbols[variable]
	if !ok || int(s.Section) >= len(p.file.Sections) {
		return nil, fmt.Errorf("the probe has no %s", variable)
	}
	section := p.file.Sections[s.Section]
	if section.Type == elf.SHT_NOBITS {
		return make([]byte, s.Size), nil
	}
	data, err := section.Data()
	if err != nil || s.Value+s.Size > uint64(len(data)) {
		return nil, fmt.Errorf("%s is not in its section (%v)", variable, err)
	}
	return data[s.Value : s.Value+s.Size], nil
}

func (p *probe) number(variable string) (uint64, error) {
	b, err := p.bytes(variable)
	if err != nil || len(b) > 8 {
		return 0, fmt.Errorf("%s has %d bytes (%v)", variable, len(b), err)
	}
	return binary.LittleEndian.Uint64(append(append([]byte{}, b...), make([]byte, 8-len(b))...)), nil
}

// value is what a constant of the probe holds, and its type; the const of a scalar is the probe's.
func (p *probe) value(variable string) (dwarf.Type, string, error) {
	t, err := p.dwarf.Type(p.variables[variable])
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", variable, err)
	}
	if q, ok := t.(*dwarf.QualType); ok {
		t = q.Type
	}
	if _, ok := t.(*dwarf.ArrayType); ok {
		b, err := p.bytes(variable)
		return t, strconv.Quote(string(b)), err
	}
	n, err := p.number(variable)
	bits := t.Size() * 8
	switch strip(t).(type) {
	case *dwarf.PtrType:
		return t, fmt.Sprintf("%#x", n), err
	case *dwarf.FloatType:
		if bits == 32 {
			return t, fmt.Sprint(math.Float32frombits(uint32(n))), err
		}
		return t, fmt.Sprint(math.Float64frombits(n)), err
	case *dwarf.IntType, *dwarf.CharType:
		return t, fmt.Sprint(int64(n) << (64 - bits) >> (64 - bits)), err
	}
	return t, fmt.Sprint(n), err
}

// strip gives the type behind names and qualifiers.
func strip(t dwarf.Type) dwarf.Type {
	for {
		switch outer := t.(type) {
		case *dwarf.TypedefType:
			t = outer.Type
		case *dwarf.QualType:
			t = outer.Type
		default:
			return t
		}
	}
}
