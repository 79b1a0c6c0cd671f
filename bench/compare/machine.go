package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/bench/compare/measure"
	"hcomm/bench/compare/show"
)

// machine describes where and how is measured. What cannot be found out stays empty.
func machine(versions map[string]string, o *measure.Options) show.Machine {
	said, _ := exec.Command("lscpu", "--json").Output()
	cpu := lscpu(said)
	m := show.Machine{
		Processor:  cpu["Model name"],
		Processors: o.Processors,
		System:     system(),
		Kernel:     kernel(),
		Compiler:   firstLine("gcc", "--version"),
		Date:       time.Now().UTC().Format(time.DateOnly),
		Seconds:    o.Seconds,
		Versions:   versions,
	}
	if cpu["CPU family"] != "" {
		m.Processor += fmt.Sprintf(" (family %s, model %s)", cpu["CPU family"], cpu["Model"])
	}
	if cpu["Hypervisor vendor"] != "" {
		m.Processor += ", of a guest of " + cpu["Hypervisor vendor"]
	}
	var caches []string
	for _, level := range []string{"L1d", "L2", "L3"} {
		if size := cpu[level+" cache"]; size != "" {
			caches = append(caches, level+" "+size)
		}
	}
	m.Caches = strings.Join(caches, ", ")
	return m
}

// lscpu reads what lscpu --json says. Newer ones have some entries below others.
func lscpu(said []byte) map[string]string {
	type entry struct {
		Field    string
		Data     string
		Children []json.RawMessage
	}
	found := map[string]string{}
	var read func(text json.RawMessage)
	read = func(text json.RawMessage) {
		var e entry
		if json.Unmarshal(text, &e) != nil {
			return
		}
		found[strings.TrimSuffix(e.Field, ":")] = e.Data
		for _, child := range e.Children {
			read(child)
		}
	}
	var all struct{ Lscpu []json.RawMessage }
	if json.Unmarshal(said, &all) == nil {
		for _, text := range all.Lscpu {
			read(text)
		}
	}
	return found
}

// system is the name of the distribution.
func system() string {
	f, err := os.Open("/etc/os-release")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, found := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); found {
			return strings.Trim(name, `"`)
		}
	}
	return ""
}

func kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
}

func firstLine(command ...string) string {
	said, _ := exec.Command(command[0], command[1:]...).Output()
	line, _, _ := strings.Cut(string(said), "\n")
	return line
}
