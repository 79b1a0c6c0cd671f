#!/usr/bin/env bash
# The table of tests/c/collectives.c under tuning tables: every algorithm with slices of several sizes. And what hcomm tune
# makes of a short look at this host: a file that counts, that keeps what it has of others, and that --show shows.
#
# Usage: tests/tune.sh PROGRAM [RANKS...]   (PROGRAM: what tests/c/collectives.c makes; RANKS: 3, or 4t for threads)
set -euo pipefail

program=$1
shift
[ $# != 0 ] || set -- 2 3 4t 7
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset HCOMM_TUNE_FILE HCOMM_ALGO HCOMM_DETERMINISTIC

fail() {
  printf '%s\n' "$@"
  exit 1
}

# sections RANKS NTH SLICE: of each collective the nth algorithm, counted round, for all sizes.
sections() {
  local collective crowded all
  sed -n 's/^\([a-z]*\):.*/\1/p' <<<"$algorithms" | sort -u | while read -r collective; do
    mapfile -t all < <(sed -n "s/^$collective:\([a-z-]*\) .*/\1/p" <<<"$algorithms")
    for crowded in true false; do
      printf '{"collective": "%s", "ranks": %d, "crowded": %s, "rows": [{"algorithm": "%s", "slice_bytes": %d}]},\n' \
        "$collective" "$1" $crowded "${all[$2 % ${#all[@]}]}" "$3"
    done
  done
}

# results: they are right whatever a table says.
results() {
  local slices=(4096 12288 1048576) nth ranks run
  algorithms=$(hcomm plan list)
  for nth in {0..7}; do
    for ranks in "$@"; do
      run=(hcomm run -n "$ranks" "$program")
      [[ $ranks != *t ]] || run=("$program" threads "${ranks%t}")
      { echo '{"version": 1, "tables": ['; sections "${ranks%t}" "$nth" "${slices[nth % 3]}" | sed '$s/,$//'; echo ']}'; } >"$folder/all"
      HCOMM_TUNE_FILE=$folder/all HCOMM_SLOT_BYTES=65536 timeout -k 5 60 "${run[@]}" ||
        fail "failed: $ranks ranks with this table:" "$(cat "$folder/all")"
    done
  done
}

# tuned: the file that hcomm tune writes is in force.
tuned() {
  local output
  echo '{"version": 1, "tables": [{"collective": "allreduce", "ranks": 5, "rows": [{"algorithm": "chain"}]},
    {"collective": "allreduce", "ranks": 3, "rows": [{"algorithm": "chain"}]}]}' >"$folder/tuned"
  hcomm tune -n 3 --collective allreduce,barrier --from 16K --to 32K --seconds 0.5 -o "$folder/tuned" >"$folder/output" 2>&1 ||
    fail "hcomm tune failed" "$(cat "$folder/output")"
  output=$(HCOMM_TUNE_FILE=$folder/tuned hcomm tune --show --collective allreduce)
  [[ $output == *"chain "*"$folder/tuned"* ]] || fail "the file has lost what it had of 5 ranks:" "$output"
  output=$(HCOMM_TUNE_FILE=$folder/tuned hcomm tune --show --collective allreduce -n 3)
  [[ $output == *' 8 KiB '*" 32 KiB "*"$folder/tuned"* || $output == *' 8 KiB '*" 16 KiB "*" 32 KiB "*"$folder/tuned"* ]] ||
    fail "hcomm tune --show does not show what was found" "$output" "$(cat "$folder/tuned")"
  HCOMM_TUNE_FILE=$folder/tuned timeout -k 5 60 hcomm run -n 3 "$program" allreduce || fail "what hcomm tune found is wrong:" "$(cat "$folder/tuned")"
  output=$(HCOMM_TUNE_FILE=$folder/tuned HCOMM_DEBUG=info timeout -k 5 60 hcomm run -n 3 "$program" barrier 2>&1)
  [[ $output == *"tuning table: \"$folder/tuned\" of rank 0;"* ]] || fail "HCOMM_DEBUG=info does not name the file:" "$output"
}

results "$@"
tuned
