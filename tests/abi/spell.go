package main

import (
	"debug/dwarf"
	"fmt"
	"strings"
)

// spell gives a type as C has it, without the name of what has the type.
func spell(t dwarf.Type) string { return declare(t, "") }

// declare gives the declaration of what has a type.
func declare(t dwarf.Type, what string) string {
	switch t := t.(type) {
	case *dwarf.PtrType:
		switch t.Type.(type) {
		case *dwarf.FuncType, *dwarf.ArrayType:
			return declare(t.Type, "(*"+what+")")
		}
		return declare(t.Type, "*"+what)
	case *dwarf.ArrayType:
		return declare(t.Type, fmt.Sprintf("%s[%d]", what, t.Count))
	case *dwarf.FuncType:
		return declare(t.ReturnType, what+"("+parameters(t)+")")
	case *dwarf.QualType:
		if pointer, ok := t.Type.(*dwarf.PtrType); ok {
			return declare(pointer, strings.TrimSpace(t.Qual+" "+what))
		}
		return t.Qual + " " + declare(t.Type, what)
	}
	return strings.TrimSpace(name(t) + " " + what)
}

func parameters(t *dwarf.FuncType) string {
	var all []string
	for _, p := range t.ParamType {
		if _, dots := p.(*dwarf.DotDotDotType); dots {
			all = append(all, "...")
		} else {
			all = append(all, spell(p))
		}
	}
	if len(all) == 0 {
		return "void"
	}
	return strings.Join(all, ", ")
}

func name(t dwarf.Type) string {
	switch t := t.(type) {
	case nil, *dwarf.VoidType:
		return "void"
	case *dwarf.TypedefType:
		return t.Name
	case *dwarf.EnumType:
		if t.EnumName != "" {
			return "enum " + t.EnumName
		}
		var c []string
		for _, v := range t.Val {
			c = append(c, fmt.Sprintf("%s = %d", v.Name, v.Val))
		}
		return "enum { " + strings.Join(c, ", ") + " }"
	case *dwarf.StructType:
		if t.StructName != "" {
			return t.Kind + " " + t.StructName
		}
		var c []string
		for _, f := range t.Field {
			c = append(c, f.Name+" "+place(f))
		}
		return t.Kind + " { " + strings.Join(c, "; ") + " }"
	}
	return t.Common().Name
}

// place gives a field's type and where it is.
func place(f *dwarf.StructField) string {
	if f.BitSize != 0 {
		return fmt.Sprintf("%s, %d bits at bit %d", spell(f.Type), f.BitSize, f.DataBitOffset)
	}
	return fmt.Sprintf("%s, %d bytes at %d", spell(f.Type), f.Type.Size(), f.ByteOffset)
}

// addType adds what is to be known of a type that has a name.
func (r *record) addType(name string, t dwarf.Type, alignment uint64) {
	typedef, isTypedef := t.(*dwarf.TypedefType)
	if isTypedef {
		t = typedef.Type
	}
	size := fmt.Sprintf("size %d, alignment %d", t.Size(), alignment)
	short := name[strings.LastIndexByte(name, ' ')+1:]
	switch t := t.(type) {
	case *dwarf.StructType:
		if !isTypedef || t.StructName == "" {
			r.facts[t.Kind+" "+short] = size
			for _, f := range t.Field {
				r.facts["field "+short+"."+f.Name] = place(f)
			}
			return
		}
	case *dwarf.EnumType:
		if !isTypedef || t.EnumName == "" {
			r.facts["enum "+short] = size
			r.addConstants(t, name)
			return
		}
	}
	r.facts["type "+short] = spell(t) + ", " + size
}

func (r *record) addConstants(t *dwarf.EnumType, of string) {
	for _, v := range t.Val {
		r.facts["constant "+v.Name] = fmt.Sprintf("%d, %s", v.Val, of)
	}
}
