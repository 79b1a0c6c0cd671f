package main

import (
	"fmt"
	"strings"

	"hcomm/settings"
)

// settingsTable lists the settings, in Markdown.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| setting | value, and default | what it does |\n|---|---|---|\n")
	for _, s := range settings.Table {
		value := s.Range
		if s.Default != "" {
			value += "; default " + s.Default
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, value, s.Help)
	}
	return b.String()
}

// settingsWhere lists those that some rule is about.
func settingsWhere(applies func(settings.Setting) bool) string {
	var names []string
	for _, s := range settings.Table {
		if applies(s) {
			names = append(names, "`"+s.Name+"`")
		}
	}
	return strings.Join(names, ", ") + "\n"
}

// settingsTexts gives what is between the markers of settings.md.
func settingsTexts() map[string]string {
	return map[string]string{
		"settings": settingsTable(),
		"place":    settingsWhere(func(s settings.Setting) bool { return s.Place }),
		"agreed":   settingsWhere(func(s settings.Setting) bool { return s.Agreed }),
	}
}
