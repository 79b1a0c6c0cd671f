// Package observe writes the lines that tell people what hcomm does: warnings, and if HCOMM_DEBUG asks for more, what
// was decided at start and each call. Start at [Warn]; [Configure] says where lines go and which.
//
// A line is one write, so that those of several ranks do not mix. It never makes the program wait: what a full pipe
// does not take is lost.
//
// May import: forked. Imported by: engine.
package observe
