package main

/*
#include <string.h>
#include "internal.h"
*/
import "C"

import (
	"time"
	"unsafe"

	"hcomm/engine"
)

// config is what a hcommConfig_t says.
type config struct {
	engine.Config
	later bool // it is made while the program goes on
}

const (
	unset       = C.HCOMM_CONFIG_UNDEF_INT
	longestName = 127
	headBytes   = unsafe.Offsetof(C.hcommConfig_t{}.blocking) // of what every version of the struct has
)

// readConfig applies the rules for a hcommConfig_t; NULL sets nothing.
func readConfig(p uintptr) (config, error) {
	if p == 0 {
		return config{}, nil
	}
	b, err := buffer("config", p)
	if err != nil {
		return config{}, err
	}
	c, err := copyConfig((*C.hcommConfig_t)(b))
	if err != nil {
		return config{}, err
	}
	var k config
	for _, f := range []struct {
		name  string
		value C.int
		rule  string
		legal bool
		set   func(int)
	}{
		{"blocking", c.blocking, "0 or 1", isFlag(c.blocking), func(v int) { k.later = v == 0 }},
		{"timeout_ms", c.timeout_ms, "0, which is never, or more", c.timeout_ms >= 0, func(v int) {
			d := time.Duration(v) * time.Millisecond
			k.Timeout = &d
		}},
		{"deterministic", c.deterministic, "0 or 1", isFlag(c.deterministic), func(v int) {
			is := v == 1
			k.Deterministic = &is
		}},
		{"lanes", c.lanes, "1: this version has no others", c.lanes == 1, func(int) {}},
	} {
		if f.value == unset {
			continue
		}
		if !f.legal {
			return config{}, badArgument("config", "config->%s is %d; it must be HCOMM_CONFIG_UNDEF_INT, or %s", f.name, f.value, f.rule)
		}
		f.set(int(f.value))
	}
	k.Name, err = readName(c.name)
	return k, err
}

func isFlag(v C.int) bool { return v == 0 || v == 1 }

// copyConfig checks the head and copies the fields that the program's header knew; the others are unset.
func copyConfig(from *C.hcommConfig_t) (C.hcommConfig_t, error) {
	c := C.hcommConfig_t{blocking: unset, timeout_ms: unset, deterministic: unset, lanes: unset}
	switch {
	case from.magic != C.HCOMM_CONFIG_MAGIC:
		return c, badArgument("config", "config->magic is %#x, not %#x: initialize it with HCOMM_CONFIG_INITIALIZER", from.magic, C.HCOMM_CONFIG_MAGIC)
	case uintptr(from.size) < headBytes || from.size > C.sizeof_hcommConfig_t:
		return c, badArgument("config", "config->size is %d; it must be that of HCOMM_CONFIG_INITIALIZER, %d to %d", from.size, headBytes, C.sizeof_hcommConfig_t)
	case from.version < firstConfig || from.version > C.HCOMM_VERSION_CODE:
		return c, badArgument("config", "config->version is %d; it must be that of HCOMM_CONFIG_INITIALIZER, %d to %d", from.version, firstConfig, C.HCOMM_VERSION_CODE)
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&c)), from.size), unsafe.Slice((*byte)(unsafe.Pointer(from)), from.size))
	return c, nil
}

// firstConfig is the first version with a hcommConfig_t.
const firstConfig = 300

func readName(p *C.char) (string, error) {
	if p == nil {
		return "", nil
	}
	if _, err := buffer("config->name", uintptr(unsafe.Pointer(p))); err != nil {
		return "", err
	}
	n := C.strnlen(p, longestName+1)
	if n > longestName {
		return "", badArgument("config", "config->name has more than %d bytes", longestName)
	}
	name := C.GoStringN(p, C.int(n))
	for _, b := range []byte(name) {
		if b < ' ' || b == 0x7f {
			return "", badArgument("config", "config->name is %q; it must have no control characters", name)
		}
	}
	return name, nil
}
