package settings

import (
	"fmt"
	"slices"
	"strings"
)

const prefix = "HCOMM_"

// alien are names that users and build systems give to where hcomm is installed; they are not misspelt.
var alien = []string{
	"HCOMM_HOME", "HCOMM_DIR", "HCOMM_PREFIX", "HCOMM_PATH", "HCOMM_VERSION", "HCOMM_INCLUDE", "HCOMM_INCLUDE_DIR",
	"HCOMM_LIB", "HCOMM_LIB_DIR", "HCOMM_LIBRARY", "HCOMM_BUILD_TESTING", "HCOMM_INSTALL", "HCOMM_MAKE",
}

// Unknown gives a sentence for each variable of an environment, NAME=value, that looks like a setting but is none. Those
// named HCOMM_TEST_… are tests' own.
func Unknown(environment []string) []string {
	var sentences []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if _, known := Find(name); known || !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, "HCOMM_TEST_") ||
			slices.Contains(alien, name) {
			continue
		}
		sentences = append(sentences, unknown(name, value))
	}
	return sentences
}

// unknown says that a name is none. The value is shown only beside the name that was probably meant, for it could be a
// secret.
func unknown(name, value string) string {
	near, ok := Nearest(name)
	if !ok {
		return fmt.Sprintf("%.80s is no setting (hcomm env lists all)", name)
	}
	if value != "" && !near.Secret {
		name += fmt.Sprintf("=%.80s", value)
	}
	return fmt.Sprintf("%.160s is no setting: did you mean %s? (hcomm env lists all)", name, near.Name)
}

// Nearest is the setting that was probably meant by a name that is none.
func Nearest(name string) (Setting, bool) {
	word := strings.TrimPrefix(strings.ToUpper(name), prefix)
	if len(word) > 80 {
		return Setting{}, false
	}
	names := make([]string, len(Table))
	for i, s := range Table {
		names[i] = s.Name[len(prefix):]
	}
	if near, ok := Closest(word, names); ok {
		return find(prefix + near), true
	}
	for _, s := range Table { // HCOMM_DEBUG_LEVEL, HCOMM_ALGORITHM
		if known := s.Name[len(prefix):]; len(word) > 2 && (strings.HasPrefix(word, known) || strings.HasPrefix(known, word)) {
			return s, true
		}
	}
	return Setting{}, false
}

// Closest is the one of some names that was probably meant by a word that is none of them.
func Closest(word string, names []string) (found string, ok bool) {
	if len(word) > 80 {
		return "", false
	}
	least := max(1, min(3, len(word)/3)) + 1
	for _, name := range names {
		if d := distance(word, name); d < least {
			found, least, ok = name, d, true
		}
	}
	return found, ok
}

// distance is how many characters must be put in, left out, replaced, or swapped with their neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
