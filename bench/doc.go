// Package bench runs the matrix model × order × profile × strategy: it plans,
// times, checks and validates every cell, and yields one Record for each,
// failed cells included.
package bench
