package datasets

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/arenalab/arenalab/graph/opgraph"
)

// isModel tells a model by its identifier; a file that says in its name that it
// is a model is one, broken or not.
func isModel(p string, head []byte) bool {
	switch strings.ToLower(filepath.Ext(p)) {
	case ".csv", ".graph":
		return false
	case ".tflite", ".lite":
		return true
	}
	return len(head) >= 8 && string(head[4:8]) == "TFL3"
}

// isGraph tells an operator graph by its extension, or else by its first line.
func isGraph(p string, head []byte) bool {
	switch strings.ToLower(filepath.Ext(p)) {
	case ".csv":
		return false
	case ".graph":
		return true
	}
	return opgraph.Looks(head)
}

func readHead(f io.Reader) ([]byte, error) {
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return head[:n], nil
}
