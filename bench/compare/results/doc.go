// Package results has what was measured, as CSV, and what follows from it: medians, and the ratios of runs that were
// made in turns. Start at section.go.
//
// May import: nothing of hcomm. Imported by: bench/compare, bench/compare/measure, bench/compare/show.
package results
