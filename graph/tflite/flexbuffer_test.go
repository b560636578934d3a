package tflite

import (
	"encoding/hex"
	"testing"

	"github.com/arenalab/arenalab/graph"
)

// Maps as the Python package flatbuffers 25.12.19 writes them.
const (
	// {"a": 1, "bb": -2, "max_detections": 10, "x": 0.5}
	flexNarrow = "61006262006d61785f646574656374696f6e7300780004171614060005000000010000000400000001000000feffffff0a000000" +
		"0000003f0606060e142601"
	// {"a": 300, "bb": -70000, "c": 1 << 40, "d": True, "e": 2.75, "f": "text", "g": [1, 2]}
	flexWide = "6100626200630064006500660004746578740067000201020404071b1a181716150e0000000000000d0000000000000001000000" +
		"0000000007000000000000002c0100000000000090eefeffffffffff0000000000010000010000000000000000000000000006405a" +
		"000000000000005a000000000000000707076b0f14283f2701"
	// {"f": 9.5, "i": -5, "u": 70000}, all indirect
	flexIndirectMap = "6900fb7500000000701101006600000000001841030916140301030b1a1522181e062401"
	flexEmptyMap    = "00000100002401"
	flexVector      = "0201020404042801" // [1, 2]
	flexNumber      = "070401"           // 7
)

func TestFlexBufferNumbers(t *testing.T) {
	const none = -1 << 60
	for _, test := range []struct {
		data, key string
		want      int64
	}{
		{flexNarrow, "a", 1}, {flexNarrow, "bb", -2}, {flexNarrow, "max_detections", 10}, {flexNarrow, "x", 0},
		{flexNarrow, "max", none}, {flexNarrow, "", none}, {flexNarrow, "b", none},
		{flexWide, "a", 300}, {flexWide, "bb", -70000}, {flexWide, "c", 1 << 40}, {flexWide, "d", 1}, {flexWide, "e", 2},
		{flexWide, "f", none}, {flexWide, "g", none},
		{flexIndirectMap, "i", -5}, {flexIndirectMap, "u", 70000}, {flexIndirectMap, "f", 9},
		{flexEmptyMap, "a", none}, {flexVector, "a", none}, {flexNumber, "a", none}, {"", "a", none}, {"00", "a", none},
	} {
		data, err := hex.DecodeString(test.data)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := flexBuffer(data).number(test.key)
		if !ok {
			got = none
		}
		if got != test.want {
			t.Errorf("%.12s…: %q is %d, want %d", test.data, test.key, got, test.want)
		}
	}
}

// TestDetectionOptions: they are taken whole or not at all.
func TestDetectionOptions(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want graph.OpOptions
	}{
		{"none", nil, graph.OpOptions{}},
		{"all", flexMapOf(10, 2, 90), graph.OpOptions{Detections: 10, DetectionClasses: 2, Classes: 90}},
		{"no detections", flexMapOf(0, 2, 90), graph.OpOptions{}},
		{"negative", flexMapOf(10, -2, 90), graph.OpOptions{}},
	} {
		if got := detectionOptions(test.data); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	for n := range len(flexMapOf(10, 2, 90)) {
		if got := detectionOptions(flexMapOf(10, 2, 90)[:n]); got != (graph.OpOptions{}) {
			t.Errorf("cut to %d bytes: %+v", n, got)
		}
	}
}

// flexMapOf builds the options by hand, all numbers a byte wide.
func flexMapOf(detections, each, classes int8) []byte {
	var b []byte
	var at []int
	keys := []string{"max_classes_per_detection", "max_detections", "num_classes"}
	for _, key := range keys {
		at = append(at, len(b))
		b = append(append(b, key...), 0)
	}
	b = append(b, byte(len(keys)))
	start := len(b)
	for i := range keys {
		b = append(b, byte(len(b)-at[i]))
	}
	b = append(b, byte(len(b)-start), 1, byte(len(keys))) // the way back to the keys, their width, the number
	m := len(b)
	b = append(b, byte(each), byte(detections), byte(classes))
	b = append(b, flexInt<<2, flexInt<<2, flexInt<<2)
	return append(b, byte(len(b)-m), flexMap<<2, 1)
}

// FuzzFlexBuffer: whatever the bytes, there is an answer, and the same twice.
func FuzzFlexBuffer(f *testing.F) {
	for _, s := range []string{flexNarrow, flexWide, flexIndirectMap, flexEmptyMap, flexVector, flexNumber} {
		data, err := hex.DecodeString(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "a")
	}
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		n, ok := flexBuffer(data).number(key)
		if again, ok2 := flexBuffer(data).number(key); again != n || ok2 != ok {
			t.Errorf("%d %v, then %d %v", n, ok, again, ok2)
		}
		if !ok && n != 0 {
			t.Errorf("%d without success", n)
		}
	})
}
