#!/usr/bin/env bash
# Runs the examples in C and C++ that make everything has built in build/demo; tests/python.sh runs those in Python.
#
# Usage: tests/examples.sh
# Variable: BUILD, as for run-c.sh.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
build=$(realpath -e "${BUILD:-build}")
PATH=$build/bin:$PATH

# says STATUS TEXT COMMAND...: the command ends with this status, and prints this text, with its lines sorted.
says() {
  local want=$1 text=$2 status=0 said
  shift 2
  said=$(timeout -k 5 60 "$@" | LC_ALL=C sort) || status=$?
  same "$said" "$text" && same "status $status" "status $want"
}

check "hello, 2 ranks" says 0 "I am rank 0, and all ranks' numbers add up to 1
I am rank 1, and all ranks' numbers add up to 1" hcomm run -n 2 "$build/demo/hello" || true
check "overlap, 3 ranks" hcomm run -n 3 --timeout 60 "$build/demo/overlap" || true
check "survive, 4 ranks of which 2 die" says 137 "2 of the ranks have added up 49995000
rank 2 of 3 has died
rank 3 of 4 has died" hcomm run -n 4 --no-kill "$build/demo/survive" || true
check "trainer, 4 ranks" hcomm run -n 4 --timeout 60 "$build/demo/trainer" "$build/demo/loss.svg" || true
counted
