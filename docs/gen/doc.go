// Command gen writes docs/collectives/*.svg and what lies between the markers of docs/collectives.md, from the builders
// that plan has, and of docs/settings.md, from the table of settings, and docs/tune.schema.json and
// docs/topology.schema.json. "make docs" runs it; its test fails when what is there is not what it would write.
//
// May import: cmd/hcomm/draw, plan, settings, topo, tune. Imported by: nobody.
package main
