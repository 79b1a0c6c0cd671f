package meet

import (
	"testing"
	"time"
)

func TestPausesAreAsShortAsTheyAreAskedToBe(t *testing.T) {
	p := newPatience(time.Minute, nil)
	shortest := time.Hour
	for range 50 {
		began := time.Now()
		if err := p.pause(firstDelay); err != nil {
			t.Fatal(err)
		}
		shortest = min(shortest, time.Since(began))
	}
	if shortest < firstDelay || shortest > time.Millisecond {
		t.Errorf("of 50 pauses of %v the shortest took %v", firstDelay, shortest)
	}
}

func TestAttemptsComeSoonAfterTheRoot(t *testing.T) {
	waited := time.Duration(0)
	for delay := firstDelay; waited < time.Second; delay = longer(delay) {
		if late := waited/4 + firstDelay; delay > late && delay > firstDelay {
			t.Fatalf("after %v an attempt is made %v later, more than %v", waited, delay, late)
		}
		waited += delay
	}
	for delay, n := firstDelay, 0; delay < lastDelay; delay = longer(delay) {
		if n++; n > 50 {
			t.Fatalf("after %d attempts the pause is %v", n, delay)
		}
	}
}
