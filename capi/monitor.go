package main

// #cgo LDFLAGS: -Wl,-wrap=pthread_create
import "C"
