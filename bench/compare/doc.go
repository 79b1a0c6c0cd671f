// Command compare measures hcomm beside Open MPI, MPICH and bare shared memory, and shows the results. It must be
// started in the top folder of the sources, after make. Start at run.go; measure/ makes the runs, results/ has the
// arithmetic, show/ the tables and pictures.
//
// May import: bench/compare/measure, bench/compare/results, bench/compare/show. Imported by: nobody.
package main
