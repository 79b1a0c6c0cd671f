// Package measure builds the yardstick for each library and runs it, in turns. Start at measure.go; library.go says how
// each library's programs are built and started, job.go runs one.
//
// May import: bench/compare/results. Imported by: bench/compare.
package measure
