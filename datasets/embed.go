package datasets

import (
	"embed"
	"io/fs"
)

//go:embed models/*.tflite
var models embed.FS

// Models returns the embedded set: .tflite files at the root of a file system.
// Embedded says what each of them is.
func Models() fs.FS {
	sub, err := fs.Sub(models, "models")
	if err != nil {
		panic(err) // the name is a constant and valid
	}
	return sub
}
