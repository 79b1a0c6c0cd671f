#!/usr/bin/env bash
# Kills one of four ranks in the middle of a loop of each collective, with each builder, and of messages round a ring, with
# a few bytes and with many. The other three must be told who died.
#
# Usage: tests/death_each.sh PROGRAM   (PROGRAM: what tests/c/death_each.c makes)
set -euo pipefail

program=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# once ALGO CALL BYTES
once() {
  local status=0
  HCOMM_ALGO=$1 timeout -k 5 20 hcomm run -n 4 --no-kill "$program" "$2" "$3" >"$output" 2>&1 </dev/null || status=$?
  if [ "$status" != 137 ] || [ "$(grep -c 'was told$' "$output")" != 3 ]; then
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
echo "$((2 * ${#algorithms[@]} + 2)) deaths were told"
