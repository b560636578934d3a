package graph

// OpCustom is the builtin code of custom operators.
const OpCustom = 32

// OpName returns the name of a builtin operator code, or "" if it is unknown.
func OpName(code int32) string { return "" }
