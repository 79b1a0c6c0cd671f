#!/usr/bin/env bash
# Runs a yardstick, which verifies what it times, on every collective, with 1 to 8 ranks and each kind of memory, and with
# each builder forced and none.
#
# Usage: tests/yardstick.sh [SOURCE [RANKS...]]   (SOURCE: bench/yardstick.c if it is not said; RANKS: 1 to 8)
set -euo pipefail

cd "$(dirname "$0")/.."
source=${1:-bench/yardstick.c}
shift $(($# < 1 ? $# : 1))
[ $# != 0 ] || set -- 1 2 3 4 5 6 7 8
PATH=$PWD/build/bin:$PATH
build=$(realpath -e "${BUILD:-build}") rows=0
program=$build/tests/yardstick
read -ra more_flags <<<"${TEST_FLAGS:-}"
mkdir -p "$build/tests"
gcc -O2 -DHCOMM -Ibuild/include "${more_flags[@]}" "$source" -o "$program" -L"$build/lib" -lhcomm -Wl,-rpath,"$build/lib"

# measure COLLECTIVE RANKS MEMORY [BUILDER]: there is a row for each size.
measure() {
  local output status=0 sizes=8
  [ "$1" != barrier ] || sizes=1
  output=$(HCOMM_ALGO=${4:-} YARD_SECONDS=0.01 timeout -k 5 60 hcomm run -n "$2" "$program" "$1" 8 131072 "$3" 2>&1) || status=$?
  if [ "$status" != 0 ] || [ "$(grep -cE "^$1,$2,[0-9]+(,[0-9.]+){3}$" <<<"$output")" != $sizes ]; then
    echo "yardstick.sh: $* ended with status $status and said: $output"
    exit 1
  fi
  rows=$((rows + sizes))
}

for collective in allreduce reduce broadcast allgather reducescatter alltoall barrier iallreduce; do
  builders=$(hcomm plan list | sed -n "s/^\($collective:[a-z-]*\) .*/\1/p")
  for memory in malloc alloc register; do
    for ranks in "$@"; do
      for builder in '' $builders; do
        measure $collective "$ranks" $memory "$builder"
      done
    done
  done
done
echo "$rows rows"
