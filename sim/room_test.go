package sim

import (
	"strings"
	"testing"
)

// Small programs of many ranks have room, whoever among them does most; more than memory holds has none.
func TestRoom(t *testing.T) {
	large, small := &program{peers: make([]int32, 1<<14), steps: make([]step, 1<<15)}, &program{peers: make([]int32, 1), steps: make([]step, 2)}
	if err := roomFor(1<<14, large, small); err != nil {
		t.Error(err)
	}
	if err := room(mostPairs, mostSteps, mostCrossings); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"pairs": roomFor(1<<14, large, large), "steps": room(0, mostSteps+1, 0), "links": room(0, 0, mostCrossings+1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
