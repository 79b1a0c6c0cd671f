#!/usr/bin/env bash
# Compares the builders of each collective on this machine, in turns, and shows what the library chooses: a row for each
# size, with each builder's median time in microseconds; [] marks the fastest, * the one that is chosen without HCOMM_ALGO.
#
# Usage: bench/builders.sh [-n RANKS] [-r ROUNDS] [-s SECONDS] [-m MOST] [-a] [COLLECTIVE ...]
#   -a  buffers from hcommMemAlloc
set -euo pipefail

cd "$(dirname "$0")/.."
ranks=2 rounds=3 seconds=0.05 most=8M memory=()
while getopts n:r:s:m:a option; do
  case $option in
  n) ranks=$OPTARG ;;
  r) rounds=$OPTARG ;;
  s) seconds=$OPTARG ;;
  m) most=$OPTARG ;;
  a) memory=(--alloc) ;;
  *) sed -n '/^# Usage/,/^set/{/^#/p}' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))

hcomm=build/bin/hcomm
[ $# -gt 0 ] || set -- allreduce broadcast reduce allgather reducescatter alltoall gather scatter
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for collective in "$@"; do
  : >"$rows"
  mapfile -t builders < <($hcomm plan list --collective "$collective" | awk -F'[: ]' 'NR > 1 { print $2 }')
  for _ in $(seq "$rounds"); do
    for builder in "${builders[@]}"; do
      [ "$collective" = barrier ] && sizes=() || sizes=(--max "$most")
      timeout 300 $hcomm bench "$collective" -n "$ranks" --algo "$builder" --csv "${sizes[@]}" --seconds "$seconds" \
        "${memory[@]}" | awk -F, -v b="$builder" 'NR > 1 { print b "," $3 "," $4 }' >>"$rows"
    done
  done
  awk -F, -v names="${builders[*]}" -v what="$collective, $ranks ranks${memory[*]:+, hcommMemAlloc}" \
    -v chosen="$($hcomm plan choice --collective "$collective" --ranks "$ranks" | awk 'NR > 1 { print $2, $3 }')" '
    function median(key,   list, n, i, j, t) {
      n = split(times[key], list, " ")
      for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] + 0 < list[j-1] + 0; j--) { t = list[j]; list[j] = list[j-1]; list[j-1] = t }
      return list[int((n + 1) / 2)]
    }
    { times[$1 "," $2] = times[$1 "," $2] " " $3; if (!($2 in seen)) { seen[$2] = 1; sizes[++count] = $2 } }
    END {
      n = split(names, builder, " ")
      printf "\n%s\n%10s", what, "bytes"
      for (i = 1; i <= n; i++) printf " %19s", builder[i]
      print ""
      lines = split(chosen, choice, "\n")
      for (s = 1; s <= count; s++) {
        best = ""
        for (i = 1; i <= n; i++) { t = median(builder[i] "," sizes[s]); if (best == "" || t + 0 < best + 0) best = t }
        pick = ""
        for (k = lines; k >= 1; k--) { split(choice[k], part, " "); if (part[1] == "any" || sizes[s] + 0 <= part[1] + 0) pick = part[2] }
        printf "%10s", sizes[s]
        for (i = 1; i <= n; i++) {
          t = median(builder[i] "," sizes[s])
          printf " %19s", (builder[i] == pick ? "*" : "") (t == best ? "[" t "]" : t)
        }
        print ""
      }
    }' "$rows"
done
