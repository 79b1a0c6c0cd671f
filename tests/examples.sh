#!/usr/bin/env bash
# Runs the examples in C and C++ that make everything has built in build/demo; tests/python.sh runs those in Python,
# tests/preload.sh that in examples/mpi.
#
# Usage: tests/examples.sh
# Variable: BUILD, as for run-c.sh.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
build=$(realpath -e "${BUILD:-build}")
PATH=$build/bin:$PATH

check "hello, 2 ranks" greets "$build/demo/hello" || true
check "hello_mpi, 2 ranks" greets "$build/demo/hello_mpi" || true
check "overlap, 3 ranks" hcomm run -n 3 --timeout 60 "$build/demo/overlap" || true
check "survive, 4 ranks of which 2 die" survives "$build/demo/survive" || true
check "trainer, 4 ranks" hcomm run -n 4 --timeout 60 "$build/demo/trainer" "$build/demo/loss.svg" || true
counted
