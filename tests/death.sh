#!/usr/bin/env bash
# Kills one of four ranks in the middle of a loop of allreduces, 20 times for each of three sizes. The other three must be
# told within 100 ms, all in the same words, and nothing may be left behind: no process, no file.
#
# Usage: tests/death.sh PROGRAM [TIMES]   (PROGRAM: what tests/c/death.c makes)
set -euo pipefail

program=$1 times=${2:-20}
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
export TMPDIR=$own/tmp
mkdir "$TMPDIR"
cp "$program" "$own/death-rank" # a name by which to look for processes
cp -P "$(dirname "$program")"/../../lib/libhcomm.so* "$own/"

fail() {
  echo "$*"
  [ ! -f "$own/output" ] || cat "$own/output"
  exit 1
}

# once BYTES: prints how long the slowest took.
once() {
  local bytes=$1 status=0
  rm -f "$own/killed"
  LD_LIBRARY_PATH=$own timeout -k 5 20 hcomm run -n 4 --no-kill "$own/death-rank" kill "$own/killed" "$bytes" \
    >"$own/output" 2>&1 </dev/null || status=$?
  [ "$status" = 137 ] || fail "$bytes bytes: status $status, not 137"
  [ "$(grep -c '^rank [013]: after' "$own/output")" = 3 ] || fail "$bytes bytes: not all three were told"
  [ "$(sed -n 's/^rank [013]: after [0-9.]* ms//p' "$own/output" | sort -u | wc -l)" = 1 ] ||
    fail "$bytes bytes: not in the same words"
  sed -n 's/^rank [013]: after \([0-9.]*\) ms.*/\1/p' "$own/output" | sort -g | tail -n 1
}

names() { find /dev/shm -mindepth 1 -printf '%P\n' 2>/dev/null | sort; }
before=$(names)
for bytes in 8 4096 1048576; do
  all=()
  for ((i = 0; i < times; i++)); do
    slowest=$(once "$bytes") || { echo "$slowest"; exit 1; }
    awk -v t="$slowest" 'BEGIN { exit !(t < 100) }' || fail "$bytes bytes, try $i: after $slowest ms"
    all+=("$slowest")
  done
  printf '%s\n' "${all[@]}" | sort -g | awk -v b="$bytes" '
    { t[NR] = $1 } END { printf "%d bytes: %d of %d; %.2f ms in the middle, %.2f ms at most\n", b, NR, NR, t[int((NR + 1) / 2)], t[NR] }'
done

for pid in /proc/[0-9]*; do
  if [ "$(readlink "$pid/exe" 2>/dev/null)" = "$own/death-rank" ]; then fail "${pid#/proc/} is still there"; fi
done
[ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
new=$(comm -13 <(echo "$before") <(names))
[ -z "$new" ] || fail "left in /dev/shm: $new"
