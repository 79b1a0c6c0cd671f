package status

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
)

const (
	askWithin   = time.Second
	longest     = 16 << 20 // of an answer
	askedAtOnce = 64
)

// door is a socket through which a process tells, as its name has it.
type door struct {
	name     string
	uid, pid int
}

// All asks the processes of this user.
func All() ([]Process, error) {
	return ask(func(d door) bool { return d.uid == os.Geteuid() })
}

// One asks the process of this number; none is returned if it does not use hcomm. Root may ask those of other users.
func One(pid int) ([]Process, error) {
	return ask(func(d door) bool { return d.pid == pid })
}

// ask asks the processes whose doors are wanted, at the same time, in the order of their numbers. A door that somebody else
// has put up is no process.
func ask(wanted func(door) bool) ([]Process, error) {
	all, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, err
	}
	doors := slices.DeleteFunc(doorsIn(string(all)), func(d door) bool { return !wanted(d) })
	found := make([]*Process, len(doors))
	room := make(chan struct{}, askedAtOnce)
	var wg sync.WaitGroup
	for i, d := range doors {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			found[i] = d.ask()
		})
	}
	wg.Wait()
	var list []Process
	for _, p := range found {
		if p != nil {
			list = append(list, *p)
		}
	}
	slices.SortStableFunc(list, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return list, nil
}

// doorsIn finds the names of sockets that listen, in the form of /proc/net/unix.
func doorsIn(table string) (doors []door) {
	const prefix = "@hcomm-status-"
	seen := map[string]bool{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) != 8 || !strings.HasPrefix(fields[7], prefix) || seen[fields[7]] {
			continue
		}
		seen[fields[7]] = true
		parts := strings.Split(fields[7][len(prefix):], "-")
		if len(parts) < 2 || len(parts) > 3 {
			continue
		}
		uid, err := strconv.Atoi(parts[0])
		pid, err2 := strconv.Atoi(parts[1])
		if err == nil && err2 == nil && uid >= 0 && pid > 0 {
			doors = append(doors, door{fields[7][1:], uid, pid})
		}
	}
	return doors
}

var (
	errStranger = errors.New("the socket is somebody else's")
	errRefused  = errors.New("it hung up without a word")
)

// ask returns nil where there is no such process.
func (d door) ask() *Process {
	p := &Process{PID: d.pid, State: Stopped, Program: programOf(d.pid), Communicators: []Communicator{}, Joining: []Joining{}}
	if isStopped(d.pid) {
		if d.isGenuine() {
			return p
		}
		return nil
	}
	text, err := d.read(time.Now().Add(askWithin))
	switch {
	case err == nil && d.understand(text, p):
		p.State = Answered
		p.Program = programOf(d.pid)
	case errors.Is(err, errStranger), errors.Is(err, unix.ECONNREFUSED): // it has gone
		return nil
	case errors.Is(err, errRefused):
		if d.uid == os.Geteuid() { // it is just ending
			return nil
		}
		p.State = Refused
	case isStopped(d.pid):
	default:
		p.State = Silent
	}
	return p
}

// isGenuine says whether the door is that of the process which its name means.
func (d door) isGenuine() bool {
	fd, err := d.connect(time.Now().Add(askWithin))
	if err == nil {
		unix.Close(fd)
	}
	return !errors.Is(err, errStranger) && !errors.Is(err, unix.ECONNREFUSED)
}

// connect opens the door, after a look at who is behind it.
func (d door) connect(until time.Time) (fd int, err error) {
	for {
		fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + d.name})
		if err == nil {
			break
		}
		unix.Close(fd)
		if err != unix.EAGAIN && err != unix.EINTR || time.Now().After(until) {
			return -1, err
		}
		time.Sleep(5 * time.Millisecond) // there is a crowd at the door
	}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err == nil && (int(cred.Uid) != d.uid || int(cred.Pid) != d.pid) {
		err = errStranger
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// read takes what the process tells.
func (d door) read(until time.Time) ([]byte, error) {
	fd, err := d.connect(until)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.name)
	defer f.Close()
	if err := f.SetReadDeadline(until); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	switch {
	case err != nil && len(text) == 0 && errors.Is(err, unix.ECONNRESET), err == nil && len(text) == 0:
		return nil, errRefused
	case err == nil && len(text) > longest:
		return nil, fmt.Errorf("it tells more than %d bytes", longest)
	}
	return text, err
}

// understand reads what a process has told, which may be anything. It must be about that process.
func (d door) understand(text []byte, p *Process) bool {
	var q Process
	if json.NewDecoder(bytes.NewReader(text)).Decode(&q) != nil || q.PID != d.pid {
		return false
	}
	clean(reflect.ValueOf(&q).Elem())
	*p = q
	return true
}

// clean makes every text in a value fit for a terminal.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(printable(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			clean(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clean(v.Elem())
		}
	}
}

// longestText bounds one text.
const longestText = 4096

func printable(text string) string {
	if len(text) > longestText {
		text = text[:longestText]
	}
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// stat is what /proc says of a process: its program's name and the letter of its state.
func stat(pid int) (program string, state byte) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || from < 0 || to < from || to+2 >= len(text) {
		return "", 0
	}
	return printable(string(text[from+1 : to])), text[to+2]
}

func programOf(pid int) string {
	program, _ := stat(pid)
	return program
}

func isStopped(pid int) bool {
	_, state := stat(pid)
	return state == 'T' || state == 't'
}
