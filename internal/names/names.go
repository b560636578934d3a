// Package names selects registered things by the names a person types.
package names

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// All is the pattern that selects everything.
const All = "all"

// Select returns the indices of the known names that the pattern selects. A
// pattern is a comma-separated list of names, of globs such as "greedy-*", and
// of the word "all". Indices come in the order of the pattern, those of one
// glob in the order of known, each once. The kind ("strategy") is for the error, which
// lists the known names and suggests the nearest one.
func Select(kind string, known []string, pattern string) ([]int, error) {
	var picked []int
	add := func(i int) {
		if !slices.Contains(picked, i) {
			picked = append(picked, i)
		}
	}
	for _, word := range strings.Split(pattern, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		found := false
		for i, name := range known {
			match, err := path.Match(word, name)
			if err != nil {
				return nil, fmt.Errorf("%s pattern %q: %w", kind, word, err)
			}
			if match || word == All {
				add(i)
				found = true
			}
		}
		if !found {
			return nil, unknown(kind, known, word)
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("no %s named; known: %s", kind, list(known))
	}
	return picked, nil
}

func list(known []string) string {
	return strings.Join(append([]string{All}, known...), ", ")
}

func unknown(kind string, known []string, word string) error {
	if strings.ContainsAny(word, `*?[\`) {
		return fmt.Errorf("no %s matches %q; known: %s", kind, word, list(known))
	}
	hint := ""
	if near := nearest(known, word); near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	return fmt.Errorf("unknown %s %q%s; known: %s", kind, word, hint, list(known))
}

// nearest returns the known name that a slip of the keyboard most likely
// turned into the word, or "" if none is close.
func nearest(known []string, word string) string {
	best, least := "", max(2, len(word)/2)+1
	word = strings.ToLower(word)
	for _, name := range known {
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best != "" {
		return best
	}
	for _, name := range known { // "greedy" for "greedy-size"
		if strings.HasPrefix(name, word) || strings.HasPrefix(word, name) {
			return name
		}
	}
	return ""
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// CheckKebab reports whether the name can be registered: lower-case letters,
// digits and single hyphens, starting with a letter, and not "all".
func CheckKebab(name string) error {
	ok := name != All && name != "" && name[0] >= 'a' && name[0] <= 'z' &&
		!strings.HasSuffix(name, "-") && !strings.Contains(name, "--")
	for _, c := range name {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
	}
	if !ok {
		return fmt.Errorf("name %q is not kebab-case", name)
	}
	return nil
}
