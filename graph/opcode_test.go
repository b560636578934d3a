package graph

import "testing"

func TestOpCodesRoundTrip(t *testing.T) {
	for code := range int32(len(opNames)) {
		name := OpName(code)
		if back, ok := OpCode(name); name == "" || !ok || back != code {
			t.Errorf("OpCode(OpName(%d)) = %d, %t; name %q", code, back, ok, name)
		}
	}
	for _, code := range []int32{-1, int32(len(opNames)), 32767} {
		if name := OpName(code); name != "" {
			t.Errorf("OpName(%d) = %q", code, name)
		}
	}
	if code, ok := OpCode("CONV_5D"); ok {
		t.Errorf("OpCode of no operator = %d", code)
	}
}

// TestOpConstants pins numbers that files contain.
func TestOpConstants(t *testing.T) {
	for name, code := range map[string]int32{
		"RESHAPE": OpReshape, "CALL": OpCall, "CUSTOM": OpCustom, "IF": OpIf, "WHILE": OpWhile,
		"CALL_ONCE": OpCallOnce, "VAR_HANDLE": OpVarHandle, "READ_VARIABLE": OpReadVariable,
		"ASSIGN_VARIABLE": OpAssignVariable, "STABLEHLO_WHILE": OpStablehloWhile,
		"STABLEHLO_COMPOSITE": OpStablehloComposite, "STABLEHLO_CASE": OpStablehloCase,
		"ADD": 0, "CONV_2D": 3, "PLACEHOLDER_FOR_GREATER_OP_CODES": 127, "BATCH_MATMUL": 126,
	} {
		if got := OpName(code); got != name {
			t.Errorf("OpName(%d) = %q, want %q", code, got, name)
		}
	}
}

func TestOpNames(t *testing.T) {
	for want, op := range map[string]Op{
		"CONV_2D":       {Code: 3},
		"CUSTOM:Foo":    {Code: OpCustom, Custom: "Foo"},
		"BUILTIN:32767": {Code: 32767},
	} {
		if got := op.Name(); got != want {
			t.Errorf("name of %+v is %q, want %q", op, got, want)
		}
	}
}
