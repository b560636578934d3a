package verify

import "github.com/arenalab/arenalab/graph/tflite/internal/schema"

// kind says how a slot of a table is stored.
type kind uint8

const (
	skip     kind = iota // not read
	inline               // a scalar in the table
	text                 // a string
	vector               // a vector of scalars that is copied
	blob                 // a vector of bytes that is left in the file
	child                // a table
	children             // a vector of tables
	union                // a table whose type is in the slot before
)

// slot is one field of a table.
type slot struct {
	name  string
	kind  kind
	size  int64 // of a scalar, bytes
	table *layout
	types map[byte]*layout // of a union: those that are read
}

// layout lists the slots of a table in order. Later slots are not read.
type layout []slot

// The layouts follow schema/planning.fbs.
var (
	twoIndices = &layout{{"first_subgraph", inline, 4, nil, nil}, {"second_subgraph", inline, 4, nil, nil}}
	oneIndex   = &layout{{"subgraph", inline, 4, nil, nil}}

	conv2D = &layout{
		{"padding", inline, 1, nil, nil},
		{"stride_w", inline, 4, nil, nil},
		{"stride_h", inline, 4, nil, nil},
		{"fused_activation_function", inline, 1, nil, nil},
		{"dilation_w_factor", inline, 4, nil, nil},
		{"dilation_h_factor", inline, 4, nil, nil},
	}
	batchMatMul  = &layout{{"adj_x", inline, 1, nil, nil}, {"adj_y", inline, 1, nil, nil}}
	quantization = &layout{
		{name: "min"},
		{name: "max"},
		{"scale", vector, 4, nil, nil},
		{"zero_point", vector, 8, nil, nil},
		{name: "details_type"},
		{name: "details"},
		{"quantized_dimension", inline, 4, nil, nil},
	}

	tensorLayout = &layout{
		{"shape", vector, 4, nil, nil},
		{"type", inline, 1, nil, nil},
		{"buffer", inline, 4, nil, nil},
		{"name", text, 1, nil, nil},
		{"quantization", child, 4, quantization, nil},
		{"is_variable", inline, 1, nil, nil},
		{name: "sparsity"},
		{"shape_signature", vector, 4, nil, nil},
		{"has_rank", inline, 1, nil, nil},
		{name: "variant_tensors"},
		{"external_buffer", inline, 4, nil, nil},
	}
	operatorLayout = &layout{
		{"opcode_index", inline, 4, nil, nil},
		{"inputs", vector, 4, nil, nil},
		{"outputs", vector, 4, nil, nil},
		{"builtin_options_type", inline, 1, nil, nil},
		{"builtin_options", union, 4, nil, map[byte]*layout{
			schema.UnionCallOptions: oneIndex, schema.UnionIfOptions: twoIndices, schema.UnionWhileOptions: twoIndices, schema.UnionCallOnceOptions: oneIndex,
			schema.UnionConv2DOptions: conv2D, schema.UnionBatchMatMulOptions: batchMatMul,
		}},
		{"custom_options", blob, 1, nil, nil},
		{name: "custom_options_format"},
		{name: "mutating_variable_inputs"},
		{"intermediates", vector, 4, nil, nil},
		{"large_custom_options_offset", inline, 8, nil, nil},
		{"large_custom_options_size", inline, 8, nil, nil},
		{"builtin_options_2_type", inline, 1, nil, nil},
		{"builtin_options_2", union, 4, nil, map[byte]*layout{
			schema.Union2StablehloWhileOptions: twoIndices,
			schema.Union2CompositeOptions:      {{"name", text, 1, nil, nil}, {"decomposition_subgraph_index", inline, 4, nil, nil}},
			schema.Union2CaseOptions:           {{"branch_subgraph_indices", vector, 4, nil, nil}},
		}},
	}
	tensorMaps  = &layout{{"name", text, 1, nil, nil}, {"tensor_index", inline, 4, nil, nil}}
	modelLayout = &layout{
		{"version", inline, 4, nil, nil},
		{"operator_codes", children, 4, &layout{
			{"deprecated_builtin_code", inline, 1, nil, nil},
			{"custom_code", text, 1, nil, nil},
			{"version", inline, 4, nil, nil},
			{"builtin_code", inline, 4, nil, nil},
		}, nil},
		{"subgraphs", children, 4, &layout{
			{"tensors", children, 4, tensorLayout, nil},
			{"inputs", vector, 4, nil, nil},
			{"outputs", vector, 4, nil, nil},
			{"operators", children, 4, operatorLayout, nil},
			{"name", text, 1, nil, nil},
		}, nil},
		{"description", text, 1, nil, nil},
		{"buffers", children, 4, &layout{
			{"data", blob, 1, nil, nil},
			{"offset", inline, 8, nil, nil},
			{"size", inline, 8, nil, nil},
		}, nil},
		{name: "metadata_buffer"},
		{"metadata", children, 4, &layout{{"name", text, 1, nil, nil}, {"buffer", inline, 4, nil, nil}}, nil},
		{"signature_defs", children, 4, &layout{
			{"inputs", children, 4, tensorMaps, nil},
			{"outputs", children, 4, tensorMaps, nil},
			{"signature_key", text, 1, nil, nil},
			{name: "deprecated_tag"},
			{"subgraph_index", inline, 4, nil, nil},
		}, nil},
		{"external_buffer_groups", children, 4, &layout{{"name", text, 1, nil, nil}}, nil},
		{"external_buffers", children, 4, &layout{
			{"id", inline, 4, nil, nil},
			{"group", inline, 4, nil, nil},
			{"offset", inline, 8, nil, nil},
			{"length", inline, 8, nil, nil},
		}, nil},
	}
)
