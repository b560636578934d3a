package datasets

import (
	"path"
	"path/filepath"
	"strings"
)

// nameAll gives every entry the shortest name that no other has: the base name
// without its extension; where several share one, with its folder before it;
// then with the extension; then the whole path.
func (s *Set) nameAll() {
	level := make([]int, len(s.entries))
	for {
		seen := make(map[string][]int, len(s.entries))
		for i := range s.entries {
			e := &s.entries[i]
			e.name = nameAt(e.path, level[i])
			seen[e.name] = append(seen[e.name], i)
		}
		settled := true
		for _, same := range seen {
			if len(same) == 1 {
				continue
			}
			for _, i := range same {
				if level[i] < lastLevel {
					level[i]++
					settled = false
				}
			}
		}
		if settled {
			return
		}
	}
}

const lastLevel = 3

func nameAt(p string, level int) string {
	if p == "-" && level == 0 {
		return "stdin"
	}
	full := filepath.ToSlash(p)
	stem := strings.TrimSuffix(full, path.Ext(full))
	if path.Base(full) == path.Ext(full) {
		stem = full // all of the name is extension
	}
	switch level {
	case 0:
		return path.Base(stem)
	case 1:
		return lastTwo(stem)
	case 2:
		return lastTwo(full)
	}
	return full
}

// lastTwo returns the last two elements of a slash path.
func lastTwo(p string) string {
	parent := path.Base(path.Dir(p))
	if parent == "." || parent == "/" {
		return path.Base(p)
	}
	return parent + "/" + path.Base(p)
}
