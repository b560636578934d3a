package kernels

import "slices"

// inPlace lists the operators whose kernels here may write their first result
// over the operand it shares its bytes with: they read element i of it no
// later than they write element i, and nothing of it afterwards.
var inPlace = []string{
	"ABS", "ADD", "BITCAST", "DIV", "DYNAMIC_UPDATE_SLICE", "EXPAND_DIMS", "MUL", "RESHAPE", "SOFTMAX", "SQUEEZE", "SUB",
}

// InPlace reports whether the kernel of an operator may work in place.
func InPlace(name string) bool { return slices.Contains(inPlace, name) }
