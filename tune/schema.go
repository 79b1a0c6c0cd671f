package tune

import (
	"encoding/json"
	"strings"

	"hcomm/plan"
)

// object is one of JSON; its fields are written in the order of the alphabet.
type object map[string]any

// Schema is docs/tune.schema.json: what [Parse] accepts, but for the order of rows and the length of the whole.
func Schema() string {
	var names []string
	var algorithms []object
	for _, c := range plan.Collectives() {
		names = append(names, lower(c))
		algorithms = append(algorithms, algorithmsOf(c))
	}
	sizes := []uint64{0}
	for class := range plan.Classes - 1 {
		sizes = append(sizes, 1<<class)
	}
	row := closed([]string{fieldAlgorithm}, object{
		fieldAbove:     object{"enum": sizes, "description": "blocks of the row have more bytes than this; absent: 0"},
		fieldUpTo:      object{"enum": sizes, "description": "and at most this; absent: any size"},
		fieldAlgorithm: object{"type": "string", "description": "one that hcomm plan list has for the collective"},
		fieldSlice: object{"type": "integer", "minimum": LeastSlice, "maximum": MostSlice, "multipleOf": LeastSlice,
			"description": "how many bytes move at a time, and no more than HCOMM_SLOT_BYTES; absent: as many"},
	})
	section := closed([]string{fieldCollective, fieldRanks, fieldRows}, object{
		fieldCollective: object{"enum": names},
		fieldRanks:      object{"type": "integer", "minimum": 2, "maximum": MostRanks},
		fieldCrowded:    object{"type": "boolean", "description": "the ranks are more than the processors that they may use; absent: false"},
		fieldRows: object{"type": "array", "maxItems": plan.Classes, "items": row,
			"description": "sizes ascend and do not overlap; for those that no row has, the cost model chooses"},
	})
	section["allOf"] = algorithms
	all := closed([]string{fieldVersion, fieldTables}, object{
		fieldVersion: object{"const": Version},
		fieldAbout:   object{"type": "string", "description": "for people"},
		fieldTables: object{"type": "array", "maxItems": mostSections, "items": section,
			"description": "for each collective, number of ranks and crowding at most one"},
	})
	all["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	all["title"] = "A tuning table of hcomm, which HCOMM_TUNE_FILE names and hcomm tune writes"
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// closed is an object with these fields and no others.
func closed(required []string, properties object) object {
	return object{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
}

// algorithmsOf says which algorithms the rows of a collective may name.
func algorithmsOf(c plan.Collective) object {
	var names []string
	for _, b := range plan.Builders(c) {
		names = append(names, b.Name)
	}
	property := func(name string, rule object) object { return object{"properties": object{name: rule}} }
	return object{
		"if":   property(fieldCollective, object{"const": lower(c)}),
		"then": property(fieldRows, object{"items": property(fieldAlgorithm, object{"enum": names})}),
	}
}

// lower is a collective as a file has it.
func lower(c plan.Collective) string { return strings.ToLower(c.String()) }
