package main

import "testing"

func TestCAndGoSeeTheSameStructures(t *testing.T) {
	if !layoutAgrees() {
		t.Error("small.h differs from link/shm or engine.Shared")
	}
}

func TestCAndGoKnowTheSameTypes(t *testing.T) {
	if !sizesAgree() {
		t.Error("a type has another size, or a type or an operator is another one, in message.c or mpi_collectives.c")
	}
}
