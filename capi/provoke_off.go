//go:build !hcomm_provoke

package main

// provoke does nothing; the test build makes it panic.
func provoke(string) {}
