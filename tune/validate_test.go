package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// validate checks a text against a schema, of which it knows the keywords that Schema uses.
func validate(schema any, text string) error {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	return admits(schema.(map[string]any), value)
}

func admits(schema map[string]any, value any) error {
	for keyword, rule := range schema {
		if !obeys(schema, keyword, rule, value) {
			return fmt.Errorf("%s %v: %v", keyword, rule, value)
		}
	}
	return nil
}

func obeys(schema map[string]any, keyword string, rule, value any) bool {
	fields, isObject := value.(map[string]any)
	list, isList := value.([]any)
	n, isNumber := value.(float64)
	fits := func(schema, value any) bool { return admits(schema.(map[string]any), value) == nil }
	switch keyword {
	case "type":
		return rule == kind(value)
	case "const":
		return reflect.DeepEqual(rule, value)
	case "enum":
		return slices.ContainsFunc(rule.([]any), func(x any) bool { return reflect.DeepEqual(x, value) })
	case "minimum":
		return !isNumber || n >= rule.(float64)
	case "maximum":
		return !isNumber || n <= rule.(float64)
	case "multipleOf":
		return !isNumber || math.Mod(n, rule.(float64)) == 0
	case "maxItems":
		return !isList || float64(len(list)) <= rule.(float64)
	case "items":
		return !slices.ContainsFunc(list, func(x any) bool { return !fits(rule, x) })
	case "required":
		return !isObject || !slices.ContainsFunc(rule.([]any), func(name any) bool { return fields[name.(string)] == nil })
	case "properties":
		for name, x := range fields {
			if sub, ok := rule.(map[string]any)[name]; ok && !fits(sub, x) {
				return false
			}
		}
		return true
	case "additionalProperties":
		for name := range fields {
			if _, ok := schema["properties"].(map[string]any)[name]; !ok {
				return false
			}
		}
		return true
	case "allOf":
		return !slices.ContainsFunc(rule.([]any), func(sub any) bool { return !fits(sub, value) })
	case "then":
		return !fits(schema["if"], value) || fits(rule, value)
	case "if", "$schema", "title", "description":
		return true
	}
	panic("the test does not know the keyword " + keyword)
}

func kind(value any) string {
	switch x := value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if x == math.Trunc(x) {
			return "integer"
		}
	}
	return "other"
}
