package main

import "testing"

func TestCAndGoSeeTheSameStructures(t *testing.T) {
	if !layoutAgrees() {
		t.Error("small.h differs from link/shm or engine.Shared")
	}
}
