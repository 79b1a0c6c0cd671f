// Command hcomm starts jobs, measures the library, and shows its algorithms, its settings, and what running programs
// do. Start at run.go; what runs a job is in launch/, what measures is in bench/ and tuner/, what draws is in draw/,
// topodraw/ and curves/.
//
// May import: cmd/hcomm/launch, cmd/hcomm/bench, cmd/hcomm/tuner, cmd/hcomm/draw, cmd/hcomm/topodraw, cmd/hcomm/curves,
// lanes, plan, ring, settings, sim, sim/simgrid, simd, status, topo, tune. Imported by: nobody.
package main
