// Package gcd computes greatest common divisors.
package gcd

// Of returns the greatest common divisor of two numbers that are not negative;
// that of 0 and x is x.
func Of(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
