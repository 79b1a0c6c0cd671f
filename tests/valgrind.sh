#!/usr/bin/env bash
# Does the runs of the programs in tests/c under Valgrind's memcheck, with a library of its own in build/valgrind, but for
# those that are skipped below.
#
#   - Go has the tag valgrind, by which its runtime tells memcheck of its heap and stacks; engine/pidfd_valgrind.go is what
#     this library needs. Memcheck then finds nothing in Go that would have to be suppressed, except that a goroutine which
#     is preempted by a signal seems to write below its stack: GODEBUG=asyncpreemptoff=1.
#   - Valgrind 3.19 cannot read Go's DWARF 5, and knows no AVX-512.
#   - It runs one thread of a process at a time, and unless told to be fair may keep one waiting for minutes.
#   - It looks for no leaks: it would search the addresses that the arenas reserve, some 48 GiB, for minutes, and
#     tests/sanitize.sh looks for them.
#
# Usage: tests/valgrind.sh [NAME ...]   (as for tests/run-c.sh)
set -euo pipefail

cd "$(dirname "$0")/.."
export BUILD=build/valgrind GOEXPERIMENT=nodwarf5 CGO_CFLAGS='-O2 -g'
export GODEBUG=asyncpreemptoff=1 HCOMM_SIMD=avx2 HCOMM_SPIN=0
export TEST_UNDER='valgrind -q --fair-sched=try --leak-check=no --error-exitcode=99 --suppressions=tests/valgrind.supp' TEST_SLOWNESS=5

skipped=()
skip() { skipped+=("$1"); } # REGULAR-EXPRESSION REASON
skip '(-n|threads) ([6-9]|[0-9][0-9])' "Valgrind runs one thread of a process at a time, and each instruction some 30 times slower"
skip '^abort: %p races' "thousands of communicators"
skip '^(large|p2p_large): ' "2^31 elements"
skip 'tests/[a-z_]+\.sh ([a-z/]+\.c|%p)' "these scripts start the program, or others, by themselves"
skip '^(exit|startup|repeat): %p' "the program starts itself again from /proc/self/exe, which is Valgrind"
skip '^signals: .* after' "a handler that interrupts a goroutine on its stack: memcheck then takes Go's heap beside it for freed"
skip '^waiting: ' "HCOMM_SPIN=0 is set, and this measures how ranks spin"
skip '^remote: .* refused' "Valgrind knows no seccomp"
skip '^float_environment: ' "Valgrind knows neither exceptions nor numbers that are flushed"

TEST_SKIP=$(IFS='|'; echo "${skipped[*]}")
export TEST_SKIP
tests/library.sh "$BUILD" netgo,osusergo,valgrind
tests/run-c.sh "$@"
