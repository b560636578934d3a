package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// significant formats x ≥ 0 with three significant digits, no exponent below a
// million, and no more than two decimals.
func significant(x float64) string {
	switch {
	case x >= 999_500:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// overhead formats a ratio to the bound: "×2.02" from twice on, else the
// percentage above it. What is not zero is never shown as zero.
func overhead(ratio float64) string {
	if ratio >= 2 {
		return "×" + significant(ratio)
	}
	return signedPercent((ratio - 1) * 100)
}

// signedPercent formats a change in percent.
func signedPercent(p float64) string {
	switch {
	case p > 0 && p < 0.01:
		return "<0.01%"
	case p < 0:
		return "−" + percentDigits(-p) + "%"
	}
	return "+" + percentDigits(p) + "%"
}

// percent formats a share, 0.25 as "25.0%".
func percent(share float64) string {
	p := share * 100
	switch {
	case p > 0 && p < 0.01:
		return "<0.01%"
	case p < 0:
		return "−" + percentDigits(-p) + "%"
	}
	return percentDigits(p) + "%"
}

func percentDigits(p float64) string {
	switch {
	case p == 0 || p == 100:
		return strconv.FormatFloat(p, 'f', 0, 64)
	case p < 0.01:
		return "<0.01"
	case p < 0.995:
		return strconv.FormatFloat(p, 'f', 2, 64)
	}
	return strconv.FormatFloat(p, 'f', 1, 64)
}

var byteUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// size formats bytes in binary units with three significant digits: "120 KiB".
func size(n int64) string {
	return sizeLike(n, n) + " " + byteUnits[unitOf(n)]
}

// sizeLike formats n in the unit that size chooses for like, without naming it.
func sizeLike(n, like int64) string {
	unit := unitOf(like)
	x := float64(n) / math.Pow(1024, float64(unit))
	switch {
	case unit == 0 || n <= 0:
		return strconv.FormatInt(n, 10)
	case x < 0.005:
		return "<0.01"
	}
	return significant(x)
}

func unitOf(n int64) int {
	x, unit := float64(n), 0
	for x >= 1023.5 && unit+1 < len(byteUnits) {
		x /= 1024
		unit++
	}
	return unit
}

// exact formats bytes in full, with thousands separators: "266,304".
func exact(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

var timeUnits = [...]struct {
	name string
	ns   float64
}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}}

// duration formats nanoseconds with two digits where that is all the
// measurement carries: "41µs", "1.4s".
func duration(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) || ns < 0 {
		return "–"
	}
	for _, u := range timeUnits {
		if x := ns / u.ns; x >= 0.9995 || u.ns == 1 {
			if x < 9.95 && u.ns > 1 {
				return fmt.Sprintf("%.1f%s", x, u.name)
			}
			return fmt.Sprintf("%.0f%s", x, u.name)
		}
	}
	return "–"
}

// plural returns "1 model" or "3 models".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "y"):
		noun = noun[:len(noun)-1] + "ie"
	case strings.HasSuffix(noun, "x"):
		noun += "e"
	}
	return exact(int64(n)) + " " + noun + "s"
}
