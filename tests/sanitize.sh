#!/usr/bin/env bash
# Builds the library and the programs in tests/c with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, in
# build/sanitize, and does the programs' runs: C by gcc's instrumentation, Go by its -asan, which also watches what Go and C
# give each other.
#
# Usage: tests/sanitize.sh [NAME ...]   (as for tests/run-c.sh)
set -euo pipefail

cd "$(dirname "$0")/.."
checks=undefined,float-divide-by-zero,float-cast-overflow
flags="-fsanitize=$checks -fno-sanitize-recover=$checks -fno-omit-frame-pointer"
export BUILD=build/sanitize GOFLAGS=-asan CGO_CFLAGS="-O2 -g $flags" CGO_LDFLAGS=$flags
export TEST_FLAGS="-fsanitize=address $flags" TEST_SLOWNESS=5
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1

tests/library.sh "$BUILD" netgo,osusergo
tests/run-c.sh "$@"
