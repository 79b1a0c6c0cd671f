// Package show makes tables, pages and pictures of results. Start at page.go.
//
// May import: bench/compare/results. Imported by: bench/compare.
package show
