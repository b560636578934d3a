package report

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// linear undoes the gamma of an 8-bit sRGB channel.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// byteTicks places ticks at multiples of a power of two, labelled in binary
// units.
type byteTicks struct{ most int }

// Ticks implements plot.Ticker.
func (b byteTicks) Ticks(min, max float64) []plot.Tick {
	step := 1.0
	for (max-min)/step > float64(b.most) {
		step *= 2
	}
	var out []plot.Tick
	for x := math.Ceil(min/step) * step; x <= max; x += step {
		out = append(out, plot.Tick{Value: x, Label: byteLabel(x)})
		if step <= 0 || len(out) > 100 {
			break
		}
	}
	return out
}

// byteLabel formats a multiple of a power of two without needless digits.
func byteLabel(x float64) string {
	unit := 0
	for x >= 1024 && unit+1 < len(byteUnits) {
		x /= 1024
		unit++
	}
	return strconv.FormatFloat(x, 'g', 6, 64) + " " + byteUnits[unit]
}

// countTicks places ticks at whole numbers in steps of 1, 2 or 5 times a power
// of ten.
type countTicks struct{ most int }

// Ticks implements plot.Ticker.
func (t countTicks) Ticks(min, max float64) []plot.Tick {
	step := 1.0
	for i := 0; (max-min)/step > float64(t.most); i++ {
		step *= [...]float64{2, 2.5, 2}[i%3]
	}
	var out []plot.Tick
	for x := math.Ceil(min/step) * step; x <= max && len(out) <= 100; x += step {
		out = append(out, plot.Tick{Value: x + 0, Label: exact(int64(x))})
	}
	return out
}

// overheadTicks are for an axis of arena over bound less one, on overheadScale.
type overheadTicks struct{}

// Ticks implements plot.Ticker.
func (overheadTicks) Ticks(min, max float64) []plot.Tick {
	out := []plot.Tick{{Value: 0, Label: "0"}}
	for _, x := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 9, 29, 99, 299, 999, 9999, 99999} {
		if x > max*1.0001 {
			break
		}
		label := strconv.FormatFloat(x*100, 'g', 3, 64) + "%"
		if x > 1 {
			label = "×" + exact(int64(x+1))
		}
		out = append(out, plot.Tick{Value: x, Label: label})
	}
	return out
}

// gapTicks are overheadTicks on both sides of zero.
type gapTicks struct{}

// Ticks implements plot.Ticker.
func (gapTicks) Ticks(min, max float64) []plot.Tick {
	out := overheadTicks{}.Ticks(0, max)
	for _, t := range (overheadTicks{}).Ticks(0, math.Min(-min, 0.9)) {
		if t.Value > 0 {
			out = append(out, plot.Tick{Value: -t.Value, Label: "−" + t.Label})
		}
	}
	return out
}

// overheadScale is linear near zero, so that plans at the bound can be shown,
// and logarithmic from about one percent on.
type overheadScale struct{}

const overheadKnee = 0.01

// Normalize implements plot.Normalizer.
func (overheadScale) Normalize(min, max, x float64) float64 {
	f := func(x float64) float64 {
		return math.Copysign(math.Log1p(math.Abs(x)/overheadKnee), x)
	}
	return (f(x) - f(min)) / (f(max) - f(min))
}

// durationTicks are for a logarithmic axis of nanoseconds.
type durationTicks struct{}

// Ticks implements plot.Ticker.
func (durationTicks) Ticks(min, max float64) []plot.Tick {
	var out []plot.Tick
	for e := math.Floor(math.Log10(min)); e <= math.Ceil(math.Log10(max)) && len(out) < 200; e++ {
		for m := 1.0; m < 10; m++ {
			x := m * math.Pow(10, e)
			if x < min*0.999 || x > max*1.001 {
				continue
			}
			label := ""
			if m == 1 || (m == 2 || m == 5) && max/min < 30 {
				label = durationLabel(x)
			}
			out = append(out, plot.Tick{Value: x, Label: label})
		}
	}
	return out
}

// decadeTicks are for a logarithmic axis of counts.
type decadeTicks struct{}

// Ticks implements plot.Ticker.
func (decadeTicks) Ticks(min, max float64) []plot.Tick {
	out := durationTicks{}.Ticks(min, max)
	for i := range out {
		if out[i].Label != "" {
			out[i].Label = countLabel(out[i].Value)
		}
	}
	return out
}

// countLabel formats a round number: "200", "10k", "5M".
func countLabel(x float64) string {
	for _, u := range []struct {
		name string
		of   float64
	}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if x >= u.of*0.999 {
			return strconv.FormatFloat(x/u.of, 'f', 0, 64) + u.name
		}
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// sparse leaves labels out, every other one and so on, until few enough stay.
type sparse struct {
	plot.Ticker
	most int
}

// Ticks implements plot.Ticker.
func (s sparse) Ticks(min, max float64) []plot.Tick {
	out := s.Ticker.Ticks(min, max)
	labelled := 0
	for _, t := range out {
		labelled += btoi(t.Label != "")
	}
	every := (labelled + s.most - 1) / s.most
	seen := 0
	for i := range out {
		if out[i].Label == "" {
			continue
		}
		if seen%every != 0 {
			out[i].Label = ""
		}
		seen++
	}
	return out
}

// from leaves out the ticks below a value.
type from struct {
	plot.Ticker
	least float64
}

// Ticks implements plot.Ticker.
func (f from) Ticks(min, max float64) []plot.Tick {
	return f.Ticker.Ticks(math.Max(min, f.least), max)
}

func durationLabel(ns float64) string {
	for _, u := range timeUnits {
		if x := ns / u.ns; x >= 0.999 {
			return strconv.FormatFloat(x, 'f', 0, 64) + " " + u.name
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}

// shareTicks are for an axis from nothing to all.
type shareTicks struct{}

// Ticks implements plot.Ticker.
func (shareTicks) Ticks(_, _ float64) []plot.Tick {
	var out []plot.Tick
	for i := 0; i <= 10; i += 2 {
		out = append(out, plot.Tick{Value: float64(i) / 10, Label: fmt.Sprintf("%d%%", i*10)})
	}
	return out
}
