# make         builds build/lib/libhcomm.so, build/include/hcomm.h and build/bin/hcomm
# make demo    four processes train a model together and draw the curve of their loss
# make test    checks everything
# make help    shows the other targets

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:

GO := scripts/go

# Where everything goes that is built. Programs outside (CMake) name another one, without spaces. So does who builds for
# another machine: make BUILD=build/arm64 GOARCH=arm64 CC=aarch64-linux-gnu-gcc (see tests/arm64.sh).
BUILD := build

VERSION := $(shell scripts/version)
SONAME  := libhcomm.so.1

LIBRARY := $(BUILD)/lib/libhcomm.so
COMMAND := $(BUILD)/bin/hcomm
HEADER  := $(BUILD)/include/hcomm.h
PRELOAD := $(BUILD)/lib/libhcomm_mpi.so

# netgo,osusergo: package net would otherwise need libresolv.
GOFLAGS_COMMON := -trimpath -buildvcs=false -tags netgo,osusergo

# Tests do not count, so that a change to one does not build anything anew.
sources = $(shell find $(1) -type f \( -name '*.go' -o -name '*.[chs]' -o -name '*.map' \) ! -name '*_test.go' ! -path '*/_gen/*')
# A folder in which CMake builds has C sources, but none of these.
PACKAGES := $(filter-out bench build cmd docs examples include packaging python scripts tests vendor $(patsubst %/CMakeCache.txt,%,$(wildcard */CMakeCache.txt)),$(patsubst %/,%,$(wildcard */)))
LIBRARY_SOURCES := $(call sources,$(PACKAGES)) include/hcomm.h go.mod go.sum Makefile
COMMAND_SOURCES := $(call sources,$(filter-out capi,$(PACKAGES)) cmd) include/hcomm.h go.mod go.sum Makefile

.PHONY: all
all: $(LIBRARY) $(PRELOAD) $(HEADER) $(COMMAND)

# asyncpreemptoff: the runtime sends its threads no SIGURG, for that signal may mean something to the program.
# The folder of the link step is not build/lib: cgo leaves a header of its own beside the library.
$(BUILD)/lib/$(SONAME): $(LIBRARY_SOURCES)
	@mkdir -p $(BUILD)/lib $(BUILD)/obj
	CGO_ENABLED=1 $(GO) build $(GOFLAGS_COMMON) -buildmode=c-shared \
	  -ldflags '-s -w -X runtime.godebugDefault=asyncpreemptoff=1 -extldflags "-Xlinker '\''--version-script=$(CURDIR)/capi/hcomm.map'\'' -Wl,-soname,$(SONAME) -Wl,-z,defs"' \
	  -o $(BUILD)/obj/$(SONAME) ./capi
	@mv $(BUILD)/obj/$(SONAME) $@
	@touch $@

$(LIBRARY): $(BUILD)/lib/$(SONAME)
	@ln -sf $(SONAME) $@

# Needs no MPI, and finds libhcomm.so.1 beside itself. Packagers have flags of their own.
$(PRELOAD): $(wildcard capi/mpi/*) capi/barrier.h include/hcomm.h Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra -fPIC -fvisibility=hidden -ftls-model=initial-exec -pthread $(CPPFLAGS) $(CFLAGS) \
	  -shared -s -o $@ $(wildcard capi/mpi/*.c) -Wl,-soname,libhcomm_mpi.so -Wl,-z,defs \
	  -Wl,--version-script=capi/mpi/hcomm_mpi.map -Wl,-rpath,'$$ORIGIN' $(LDFLAGS) -ldl

$(HEADER): include/hcomm.h
	@mkdir -p $(@D)
	@cp $< $@

$(COMMAND): $(COMMAND_SOURCES)
	@mkdir -p $(@D)
	CGO_ENABLED=0 $(GO) build $(GOFLAGS_COMMON) -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./cmd/hcomm
	@touch $@

$(BUILD)/demo/trainer: examples/trainer.cpp $(HEADER) $(LIBRARY)
	@mkdir -p $(@D)
	g++ -std=c++11 -O2 -Wall -Wextra -I$(BUILD)/include -o $@ $< -L$(BUILD)/lib -lhcomm -Wl,-rpath,'$$ORIGIN/../lib'

C_EXAMPLES := $(patsubst examples/%.c,$(BUILD)/demo/%,$(wildcard examples/*.c))
$(C_EXAMPLES): $(BUILD)/demo/%: examples/%.c $(HEADER) $(LIBRARY)
	@mkdir -p $(@D)
	gcc -std=c99 -O2 -Wall -Wextra -I$(BUILD)/include -o $@ $< -L$(BUILD)/lib -lhcomm -lm -Wl,-rpath,'$$ORIGIN/../lib'

.PHONY: setup
setup: ## installs the Debian packages that are missing
	@scripts/setup

.PHONY: everything
everything: all $(BUILD)/demo/trainer $(C_EXAMPLES)
	@:

# setup comes first: each of these targets starts make once more when it is done.
.PHONY: demo
demo: setup
	@$(MAKE) --no-print-directory everything
	$(COMMAND) run -n 4 $(BUILD)/demo/trainer $(BUILD)/demo/loss.svg

.PHONY: test
test:
	@scripts/setup test
	@$(MAKE) --no-print-directory everything
	@scripts/test

.PHONY: test-slow
test-slow: ## the tests behind the tag "slow", of broken kernels, all stories, and the slow runs of the C and the MPI programs
	@scripts/setup test
	@$(MAKE) --no-print-directory everything
	$(GO) test -tags slow -timeout 60m ./...
	BUILD=build $(GO) test -tags slow -count=1 -timeout 10m -parallel 2 ./tests/stories
	tests/kernel-breaks.sh
	tests/run-c.sh --slow
	tests/run-mpi.sh --slow

.PHONY: test-arm64
test-arm64: ## builds for arm64, and runs what tests an emulator can run
	@scripts/setup arm64
	@tests/arm64.sh

.PHONY: race
race: ## the tests under the race detector
	scripts/test race

NAMES :=
.PHONY: test-sanitize
test-sanitize: setup ## the C programs, or those in NAMES, with AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory all
	tests/sanitize.sh $(NAMES)

.PHONY: test-applications
test-applications: all ## applications from Debian's packages (it says which are missing) under MPI, with the preload and without
	tests/mpi-applications.sh $(NAMES)

.PHONY: test-valgrind
test-valgrind: ## the C programs, or those in NAMES, under Valgrind
	@scripts/setup valgrind
	@$(MAKE) --no-print-directory all
	tests/valgrind.sh $(NAMES)

FUZZTIME := 20s
.PHONY: fuzz
fuzz: ## each fuzz test for FUZZTIME (20s)
	scripts/fuzz $(FUZZTIME)

BENCH_ARGS :=
.PHONY: bench
bench: all ## hcomm beside Open MPI and MPICH, in ten minutes; BENCH_ARGS=--help shows more, BENCH_TRIXIE=1 takes newer ones, too
	@mkdir -p build/bench
	@CGO_ENABLED=0 $(GO) build -C bench/compare -trimpath -buildvcs=false -o ../../build/bench/compare .
	@build/bench/compare $(BENCH_ARGS)

.PHONY: bench-kernels
bench-kernels: setup ## the reductions against what gcc makes of the same loops
	@mkdir -p build/bench
	$(GO) build $(GOFLAGS_COMMON) -o build/bench/kernels ./bench/kernels
	build/bench/kernels $(BENCH_ARGS)

.PHONY: bench-python
bench-python: all ## an allreduce of a numpy array against the same call from C
	bench/python_overhead.py $(BENCH_ARGS)

.PHONY: docs
docs: ## writes docs/collectives/*.svg, the tables of docs/collectives.md and settings.md, and docs/man/*.1 anew
	$(GO) run ./docs/gen
	$(GO) test -count=1 -run '^TestManPagesAreCurrent$$' ./cmd/hcomm -write-man

# install, uninstall, dist, deb, and the tests of these.
include packaging/install.mk

.PHONY: abi
abi: all ## records the interface of the library, which "make test" compares, in tests/abi/libhcomm.abi
	$(GO) run ./tests/abi record

.PHONY: clean
clean: ## removes build/
	rm -rf $(BUILD)

.PHONY: help
help:
	@awk 'function say(name, text) { printf "make %-14s %s\n", name, text } \
	  /^# make( [a-z]+)?  / { text = $$0; sub(/^# make *[a-z]*  +/, "", text); say($$3 ~ /^builds$$/ ? "" : $$3, text) } \
	  /^[a-z0-9-]+:.*## / { text = $$0; sub(/.*## /, "", text); sub(/:.*/, "", $$1); say($$1, text) }' $(MAKEFILE_LIST)
