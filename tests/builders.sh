#!/usr/bin/env bash
# Runs the table of tests/c/collectives.c for every builder that there is, forced by HCOMM_ALGO.
#
# Usage: tests/builders.sh PROGRAM [RANKS...]   (PROGRAM: what tests/c/collectives.c makes; RANKS: 3, or 4t for threads)
set -euo pipefail

program=$1
shift
[ $# != 0 ] || set -- 2 3 4t 7 8
builders=$(hcomm plan list | sed -n 's/^\([a-z]*:[a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$builders")" -ge 20 ] || { echo "hcomm plan list has few builders: $builders"; exit 1; }

for builder in $builders; do
  for ranks in "$@"; do
    run=(hcomm run -n "$ranks" "$program")
    [[ $ranks != *t ]] || run=("$program" threads "${ranks%t}")
    HCOMM_ALGO=$builder timeout -k 5 60 "${run[@]}" "${builder%%:*}" || { echo "failed: $builder, $ranks ranks"; exit 1; }
  done
done
echo "$(wc -w <<<"$builders") builders with $* ranks"
