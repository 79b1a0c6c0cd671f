//go:build !race

package engine

// raceDetector says that the race detector is on. It does not see what C does.
const raceDetector = false
