package datasets

// Member is a network of the embedded set.
type Member struct {
	File    string // below models/
	Builder string
	Params  Params
}

// Embedded says what the embedded models are, sorted by file: most families once
// or more, small enough to be together below 10 MB.
func Embedded() []Member {
	return []Member{
		{"amoebanet-a.tflite", "amoebanet-a", Params{Resolution: 64, Width: 4, Depth: 2, Classes: 10}},
		{"amoebanet-a_int8.tflite", "amoebanet-a", Params{Resolution: 96, Width: 8, Depth: 2, Classes: 10, Quantized: true}},
		{"darts-v2.tflite", "darts-v2", Params{Resolution: 64, Width: 6, Depth: 8, Classes: 10}},
		{"darts-v2_int8.tflite", "darts-v2", Params{Resolution: 96, Width: 10, Depth: 8, Classes: 10, Quantized: true}},
		{"densenet.tflite", "densenet", Params{Resolution: 96, Width: 6, Depth: 5, Classes: 10}},
		{"densenet_int8.tflite", "densenet", Params{Resolution: 128, Width: 8, Depth: 6, Classes: 10, Quantized: true}},
		{"fpn-detector.tflite", "fpn-detector", Params{Resolution: 96, Width: 3, Depth: 1, Classes: 4}},
		{"fpn-detector_int8.tflite", "fpn-detector", Params{Resolution: 128, Width: 4, Depth: 2, Classes: 4, Quantized: true}},
		{"if-branch.tflite", "if-branch", Params{Resolution: 48, Width: 12}},
		{"inception.tflite", "inception", Params{Resolution: 96, Width: 6, Classes: 10}},
		{"inception_int8.tflite", "inception", Params{Resolution: 128, Width: 12, Classes: 10, Quantized: true}},
		{"lstm.tflite", "lstm", Params{Resolution: 16, Width: 32}},
		{"mobilenet-v1.tflite", "mobilenet-v1", Params{Resolution: 96, Width: 4, Classes: 10}},
		{"mobilenet-v1_int8.tflite", "mobilenet-v1", Params{Resolution: 128, Width: 8, Classes: 10, Quantized: true}},
		{"mobilenet-v2.tflite", "mobilenet-v2", Params{Resolution: 96, Width: 6, Classes: 10}},
		{"mobilenet-v2_int8.tflite", "mobilenet-v2", Params{Resolution: 128, Width: 8, Classes: 10, Quantized: true}},
		{"nasnet-a.tflite", "nasnet-a", Params{Resolution: 64, Width: 4, Depth: 2, Classes: 10}},
		{"nasnet-a_int8.tflite", "nasnet-a", Params{Resolution: 96, Width: 6, Depth: 2, Classes: 10, Quantized: true}},
		{"pnasnet-5.tflite", "pnasnet-5", Params{Resolution: 64, Width: 4, Depth: 2, Classes: 10}},
		{"pnasnet-5_int8.tflite", "pnasnet-5", Params{Resolution: 96, Width: 8, Depth: 1, Classes: 10, Quantized: true}},
		{"randwire-ws.tflite", "randwire-ws", Params{Resolution: 64, Width: 6, Depth: 32, Classes: 10}},
		{"randwire-ws_int8.tflite", "randwire-ws", Params{Resolution: 96, Width: 10, Depth: 24, Classes: 10, Quantized: true}},
		{"resnet.tflite", "resnet", Params{Resolution: 96, Width: 4, Depth: 2, Classes: 10}},
		{"resnet_int8.tflite", "resnet", Params{Resolution: 128, Width: 6, Depth: 3, Classes: 10, Quantized: true}},
		{"transformer.tflite", "transformer", Params{Resolution: 64, Width: 48, Depth: 2, Classes: 8}},
		{"unet.tflite", "unet", Params{Resolution: 64, Width: 4, Depth: 3, Classes: 2}},
		{"unet_int8.tflite", "unet", Params{Resolution: 96, Width: 4, Depth: 4, Classes: 4, Quantized: true}},
		{"while-loop.tflite", "while-loop", Params{Resolution: 48, Width: 16}},
	}
}
