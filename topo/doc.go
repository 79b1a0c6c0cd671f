// Package topo describes what lies between the ranks of a job: hosts with their memory and network ports, switches, and
// the links between them.
//
// A [Topology] is what people and programs write, as JSON, or what [ReadSysfs] finds on a machine, or what one of the
// generators makes. Its [Network] is the same in numbers: directed links, and the route of each message over them. The
// package is pure: it reads files only through an io/fs.FS. Start at [Topology], then [Network.Route].
//
// May import: ring. Imported by: lanes, sim, sim/simgrid, cmd/hcomm, cmd/hcomm/topodraw, docs/gen.
package topo
