// Package curves draws times over sizes or numbers of ranks as curves, both on logarithmic axes.
//
// The package is pure, and the same chart gives the same bytes. Start at [Chart.SVG].
//
// May import: cmd/hcomm/svg. Imported by: cmd/hcomm.
package curves
