package topo

import (
	_ "embed" // for the comments
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
)

//go:embed model.go
var model string

// Schema is docs/topology.schema.json: what [Read] accepts, but for what [Topology.Network] says of it.
func Schema() string {
	s := schema{comments: comments(), types: map[string]any{}}
	top := s.object(reflect.TypeFor[Topology]())
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "A topology, as hcomm topo and hcomm sim read it"
	top["$defs"] = s.types
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// schema makes one of types, which it puts under $defs.
type schema struct {
	comments map[string]string // by type, and by TYPE.FIELD
	types    map[string]any
}

func (s *schema) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i, name := range fieldNames(t) {
		f := t.Field(i)
		property := s.of(f.Type)
		switch about := s.comments[t.Name()+"."+f.Name]; {
		case about != "":
			property["description"] = about
		case f.Name == "Bandwidth":
			property["description"] = "bytes a second, in each direction"
		case f.Name == "Latency":
			property["description"] = "seconds"
		}
		switch {
		case needed(f) && f.Type.Kind() == reflect.Float64 && f.Name == "Bandwidth":
			property["exclusiveMinimum"] = 0
		case f.Type.Kind() == reflect.Float64:
			property["minimum"] = 0
		}
		if needed(f) {
			required = append(required, name)
		}
		properties[name] = property
	}
	return map[string]any{
		"type": "object", "additionalProperties": false, "required": required, "properties": properties,
		"description": s.comments[t.Name()],
	}
}

func (s *schema) of(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Struct:
		if s.types[t.Name()] == nil {
			s.types[t.Name()] = s.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Slice:
		most := MostLinks
		if t == reflect.TypeFor[[]Host]() {
			most = MostHosts
		}
		return map[string]any{"type": "array", "maxItems": most, "items": s.of(t.Elem())}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": "string"}
}

// comments are those of the types in model.go, and of their fields.
func comments() map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "model.go", model, parser.ParseComments)
	if err != nil {
		panic(err) // it has been compiled
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			return true
		}
		t := d.Specs[0].(*ast.TypeSpec)
		found[t.Name.Name] = strings.Join(strings.Fields(d.Doc.Text()), " ")
		for _, f := range t.Type.(*ast.StructType).Fields.List {
			found[t.Name.Name+"."+f.Names[0].Name] = strings.TrimSpace(f.Comment.Text())
		}
		return false
	})
	return found
}
