// Package topo describes what lies between the ranks of a job: hosts with their memory and network ports, switches, and
// the links between them.
//
// A [Topology] is what people and programs write, as JSON, or what [ReadSysfs] finds on a machine, or what one of the
// generators makes. Its [Network] is the same in numbers: directed links, and the route of each message over them. The
// package is pure: it reads files only through an io/fs.FS. Start at [Topology], then [Network.Route].
//
// model.go has what people write, and read.go, schema.go and write.go its JSON: a field that is added there needs
// "make docs". parse.go has the list of generators, each in a file of its own (fattree.go and so on), and the words of
// their values are in values.go. compile.go numbers the parts, network.go finds routes, links.go makes matrices of them
// for rings, distances.go says how far hosts are apart, and sysfs.go reads a host.
//
// May import: ring. Imported by: lanes, sim, sim/simgrid, cmd/hcomm, cmd/hcomm/topodraw, docs/gen.
package topo
