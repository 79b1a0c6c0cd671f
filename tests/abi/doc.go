// Command abi holds libhcomm.so and include/hcomm.h to tests/abi/libhcomm.abi, the record of what programs that are
// already built rely on: one fact a line, such as a function's prototype, a field's place, or a constant's value. The
// facts are taken from the compiler (the debugging information of a program that uses everything in the header) and
// from the library's dynamic symbols.
//
// Each change of the interface has a version of its own, so that two builds of one version have one interface:
//
//   - Something is added: a step of HCOMM_MINOR at least; HCOMM_PATCH is for what cannot be seen here.
//   - Something is removed or changed, so that programs break: a step of HCOMM_MAJOR; while that is 0, which promises
//     nothing from one HCOMM_MINOR to the next, a step of HCOMM_MINOR.
//   - The SONAME is libhcomm.so.MAJOR, so that a program never starts with a library that breaks it, and libhcomm.so.1
//     before 1.0.0.
//
// "make test" runs "abi check", which fails when facts or version are not those of the record; "make abi" runs "abi
// record", which writes the record, unless the version lacks the step.
//
// Start at check.go.
//
// May import: nothing of hcomm. Imported by: nobody.
package main
