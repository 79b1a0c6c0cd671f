package meet

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors that come before the proof are never taken.
func TestDescriptorsBeforeProof(t *testing.T) {
	noLeak(t)
	at := socketPoint(t)
	rs := ranks(at, 2)
	zero := rs[0].startOpen()
	fd := knock(t, at.Socket)
	if _, err := read(t, fd); err != nil {
		t.Fatal(err)
	}
	if err := send(fd, proof{}.encode(), []int{0}); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, fd); err == nil {
		t.Error("answered")
	}
	unix.Close(fd)
	one := <-rs[1].start()
	if one.err != nil {
		t.Fatal(one.err)
	}
	one.s.Close()
	(<-zero).s.Close()
}

// The proof holds for one rank only, and the hello must be well-formed.
func TestHelloMustFitProof(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 3)
	zero := rs[0].startOpen()
	for _, h := range [][]byte{
		hello{protocolVersion, 2, 3, wait{long, long}}.encode(), // proven as 1
		hello{protocolVersion, 1, 3, wait{long, 2 * long}}.encode(),
		{frameHello},
	} {
		fd := byHand(t, rs[1].job)
		if err := send(fd, h, nil); err != nil {
			t.Fatal(err)
		}
		if b, err := read(t, fd); err == nil {
			t.Errorf("hello % x was answered with %q", h, b)
		}
		unix.Close(fd)
	}
	one, two := rs[1].start(), rs[2].start()
	for _, c := range []<-chan joined{zero, one, two} {
		if j := <-c; j.err != nil {
			t.Error(j.err)
		} else {
			j.s.Close()
		}
	}
}

// A rank does not give its hello to a root that cannot prove that it knows the secret.
func TestFalseRoot(t *testing.T) {
	noLeak(t)
	at := socketPoint(t)
	l, err := listenOn(unix.AF_UNIX, unix.SOCK_SEQPACKET, unixAddress(at.Socket))
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{job: ranks(at, 2)[1].job, patience: newPatience(long, nil)}
	failed := make(chan error)
	go func() {
		_, err := g.attempt()
		failed <- err
	}()
	if err := g.patience.ready(l, unix.POLLIN, time.Time{}); err != nil {
		t.Fatal(err)
	}
	fd, err := accept(l)
	if err != nil {
		t.Fatal(err)
	}
	send(fd, challenge{}.encode(), nil)
	if _, err := read(t, fd); err != nil {
		t.Fatal(err)
	}
	send(fd, answer{}.encode(), nil)
	var why *again
	if err := <-failed; !errors.As(err, &why) || why.cause != stranger || why.text != "it does not know this job's secret" {
		t.Errorf("%v", err)
	}
	if b, err := read(t, fd); err == nil {
		t.Errorf("it said %q", b)
	}
	unix.Close(fd)
	unix.Close(l)
}
