// Package topodraw draws a topology: its hosts on a circle, its switches inside, level by level, the links between them,
// and rings over the hosts in colour.
//
// [Picture.SVG] makes the picture. layout.go says where everything is, so that what is linked is near, svg.go writes it. The
// package is pure, and the same topology gives the same bytes.
//
// May import: topo, cmd/hcomm/svg. Imported by: cmd/hcomm.
package topodraw
