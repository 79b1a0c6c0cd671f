#!/usr/bin/env bash
# With HCOMM_DETERMINISTIC=1 a reduction has the same bits whatever builder, size and number of slots, and memory it has:
# a hash of random cases is compared over all of these. A builder that adds in another order is refused.
#
# Usage: tests/deterministic.sh PROGRAM [RANKS...]   (PROGRAM: what tests/c/kinds.c makes; RANKS: 3, or 4t for threads)
set -euo pipefail

program=$1
shift
[ $# != 0 ] || set -- 2 3 4t 5
export HCOMM_DETERMINISTIC=1
orders=$(hcomm plan list)
compared=0 refused=0

# result VARIABLE=VALUE... OPTION...: the hash of the cases under these settings.
result() {
  local settings=() run=(hcomm run -n "$ranks" "$program")
  [[ $ranks != *t ]] || run=("$program" threads "${ranks%t}")
  while [[ ${1:-} == *=* ]]; do
    settings+=("$1")
    shift
  done
  env "${settings[@]}" timeout -k 5 60 "${run[@]}" --record --seed 2026 --cases 60 --only "$collective" "$@"
}

# same SETTINGS...: their hash is the first one.
same() {
  local hash
  hash=$(result "$@") || { echo "failed: $collective, $ranks ranks, $*: $hash"; exit 1; }
  compared=$((compared + 1))
  [ "$hash" = "$first" ] || { echo "$collective, $ranks ranks, $*: the hash is $hash, not $first"; exit 1; }
}

for collective in allreduce reduce reducescatter; do
  for ranks in "$@"; do
    first=$(result --memory malloc)
    same --memory malloc
    for memory in unaligned shared shared-unaligned registered registered-in-part mapped first last static; do
      same --memory "$memory"
    done
    for slots in 1 4; do
      for bytes in 4096 32768 262144; do
        same HCOMM_SLOTS=$slots HCOMM_SLOT_BYTES=$bytes
      done
    done
    while read -r builder order; do
      if [[ $order == '((x0 op x1) op x2)'* ]]; then
        same HCOMM_ALGO="$builder"
        same HCOMM_ALGO="$builder" HCOMM_SLOTS=1 HCOMM_SLOT_BYTES=4096
      elif said=$(result HCOMM_ALGO="$builder" 2>&1) || [[ $said != *"HCOMM_ALGO=$builder"*HCOMM_DETERMINISTIC=1* ]]; then
        echo "$builder adds in another order, but it was not refused: $said"
        exit 1
      else
        refused=$((refused + 1))
      fi
    done < <(grep "^$collective:" <<<"$orders")
  done
done
echo "$compared times the same, $refused times refused"
[ "$refused" -gt 0 ]
