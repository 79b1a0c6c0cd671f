#!/usr/bin/env bash
# Runs random programs (tests/c/random.c) in which a rank kills itself, one for each seed, on two to six ranks. The others must
# go on and leave with status 0, and nothing may be left behind: no process, no file.
#
# Usage: tests/random.sh PROGRAM FIRST COUNT [RANKS]   (RANKS: for all, to see a failure again)
set -euo pipefail

program=$1 first=$2 count=$3
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
export TMPDIR=$own/tmp
mkdir "$TMPDIR"
cp "$program" "$own/random-rank" # a name by which to look for processes
cp -P "$(dirname "$program")"/../../lib/libhcomm.so* "$own/"
export LD_LIBRARY_PATH=$own

names() { find /dev/shm -mindepth 1 ! -name 'vader_segment*' -printf '%P\n' 2>/dev/null | sort; } # those are Open MPI's
before=$(names)
failures=0
for ((seed = first; seed < first + count; seed++)); do
  ranks=${4:-$((2 + seed % 5))} status=0
  timeout -k 5 120 hcomm run -n "$ranks" --no-kill "$own/random-rank" kill "$seed" >"$own/output" 2>&1 </dev/null || status=$?
  if [ "$status" != 137 ] || [ "$(grep -c '^rank [0-5] went on$' "$own/output")" != $((ranks - 1)) ]; then
    echo "seed $seed, status $status; again: hcomm run -n $ranks --no-kill $program kill $seed"
    cat "$own/output"
    failures=$((failures + 1))
  fi
done

for pid in /proc/[0-9]*; do
  if [ "$(readlink "$pid/exe" 2>/dev/null)" = "$own/random-rank" ]; then
    echo "process ${pid#/proc/} is still there"
    failures=$((failures + 1))
  fi
done
left=$(ls -A "$TMPDIR"; comm -13 <(echo "$before") <(names))
[ -z "$left" ] || { echo "left behind: $left"; failures=$((failures + 1)); }
echo "$count seeds with a kill, $failures failures"
[ "$failures" = 0 ]
