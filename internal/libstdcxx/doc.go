// Package libstdcxx orders things as the GNU C++ library does where the C++
// standard leaves the order open. Runtimes that are built with that library
// inherit its choices, so whoever wants the same bytes has to make them too.
package libstdcxx
