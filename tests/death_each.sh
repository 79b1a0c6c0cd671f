#!/usr/bin/env bash
# Kills one of four ranks in the middle of a loop of each collective, with each builder, and of messages round a ring, with
# a few bytes and with many; then of ranks that share a processor, in a loop of alltoalls whose messages are read from the
# memory of their senders. All others must be told who died.
#
# Usage: tests/death_each.sh PROGRAM   (PROGRAM: what tests/c/death_each.c makes)
set -euo pipefail

program=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

under=() ranks=4

# once ALGO CALL BYTES
once() {
  local status=0
  HCOMM_ALGO=$1 timeout -k 5 20 "${under[@]}" hcomm run -n $ranks --no-kill "$program" "$2" "$3" >"$output" 2>&1 </dev/null || status=$?
  if [ "$status" != 137 ] || [ "$(grep -c 'was told$' "$output")" != $((ranks - 1)) ]; then
    echo "$1 $2, $3 bytes: status $status"
    cat "$output"
    exit 1
  fi
}

mapfile -t algorithms < <(hcomm plan list | awk 'NR > 1 { print $1 }')
for bytes in 8 100000; do
  for algorithm in "${algorithms[@]}"; do once "$algorithm" "${algorithm%%:*}" "$bytes"; done
  once "" ring "$bytes"
done
under=(taskset -c 0) ranks=5
for _ in {1..5}; do once alltoall:pairwise alltoall 2097152; done
echo "$((2 * ${#algorithms[@]} + 7)) deaths were told"
