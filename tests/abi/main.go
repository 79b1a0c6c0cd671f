package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	header := flag.String("header", "include/hcomm.h", "the `file` that declares the interface")
	library := flag.String("library", "build/lib/libhcomm.so", "the `file` that implements it")
	recorded := flag.String("record", "tests/abi/libhcomm.abi", "the `file` that keeps the facts")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: abi [flags] check|record")
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "check":
		err = runCheck(*header, *library, *recorded)
	case "record":
		err = runRecord(*header, *library, *recorded)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "abi:", err)
		os.Exit(1)
	}
}

func runCheck(header, library, path string) error {
	now, err := extract(header, library)
	if err != nil {
		return err
	}
	before, err := readRecord(path)
	if err != nil {
		return fmt.Errorf("%w; to begin a record: make abi", err)
	}
	if err := check(before, now); err != nil {
		return err
	}
	fmt.Printf("%d facts, version %s, as recorded\n", len(now.facts), now.version)
	return nil
}

func runRecord(header, library, path string) error {
	now, err := extract(header, library)
	if err != nil {
		return err
	}
	before, err := readRecord(path)
	if err == nil {
		err = allows(before, now)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(now.String()), 0o666)
}

// extract gives the interface of a header and its library, which must fit.
func extract(header, library string) (record, error) {
	declared, err := readHeader(header)
	if err != nil {
		return record{}, err
	}
	exported, err := readLibrary(library)
	if err != nil {
		return record{}, err
	}
	return combine(declared, exported)
}
