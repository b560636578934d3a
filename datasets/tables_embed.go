package datasets

import (
	"embed"
	"io/fs"
)

//go:generate go test -run TestCommittedTables|TestTablesReadme -update

//go:embed tables/*.csv
var tables embed.FS

// Tables returns the lifetime tables that come with the package: small ones
// of families of Synthetics, as WriteSynthetic writes them.
func Tables() fs.FS {
	sub, err := fs.Sub(tables, "tables")
	if err != nil {
		return tables // cannot be: the name is a valid path
	}
	return sub
}
