package main

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Roles are what the tests' ranks do where a shell script could miss a signal. A script takes one by "as ROLE ARGUMENTS".
var roles = map[string]func(args []string){"heed": heed, "count": count, "typist": typist}

func number(name string) syscall.Signal { return unix.SignalNum("SIG" + name) }

// heed OUT SIGNAL:TEXT[:STATUS] ... says "ready" to the file OUT (-: stdout), and to each signal its text; with a status
// it ends then.
func heed(args []string) {
	came := make(chan os.Signal, 16)
	heeded := map[os.Signal][]string{}
	for _, a := range args[1:] {
		part := strings.Split(a, ":")
		heeded[number(part[0])] = part[1:]
		signal.Notify(came, number(part[0]))
	}
	out := os.Stdout
	if args[0] != "-" {
		var err error
		if out, err = os.OpenFile(args[0], os.O_WRONLY, 0); err != nil {
			panic(err)
		}
	}
	fmt.Fprintln(out, "ready")
	for {
		part := heeded[<-came]
		if part[0] != "" {
			fmt.Println(part[0])
		}
		if len(part) > 1 {
			status, _ := strconv.Atoi(part[1])
			os.Exit(status)
		}
	}
}

// count SIGNAL says how often the signal comes.
func count(args []string) { counting(args[0], func() {}) }

// typist is count INT, after rank 0 has repeated what was typed.
func typist([]string) {
	counting("INT", func() {
		if os.Getenv("HCOMM_RANK") == "0" {
			line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
			fmt.Print("typed ", line)
		}
	})
}

func counting(name string, first func()) {
	came := make(chan os.Signal, 16)
	signal.Notify(came, number(name))
	fmt.Println("ready")
	first()
	n := 1
	<-came
	for over := time.After(50 * time.Millisecond); ; n++ {
		select {
		case <-came:
			continue
		case <-over:
		}
		fmt.Println("heard", n)
		return
	}
}
