package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Key names the cell by its content: equal for the same bytes of a file, the
// same unit, strategy, seed, alignment and version of the tool, wherever the
// file lies and whatever came out. A file that could not be read is known by
// its path. 32 hex digits.
func (r *Record) Key() string {
	file := "sha256:" + r.Hash
	if r.Hash == "" {
		file = "path:" + r.Path
	}
	// %q ends every part unmistakably, so that no two lists of parts are
	// written alike.
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %d %q %q %q %d %q %d %q",
		r.Schema, file, r.Subgraph, r.Profile, r.Order, r.Strategy, r.Seed, r.Ties, r.Align, r.Tool))
	return hex.EncodeToString(sum[:16])
}
