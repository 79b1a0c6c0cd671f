#!/usr/bin/env bash
# Compares hcomm with Open MPI and MPICH: builds yardstick.c (for messages pingpong.c) for each that is installed, runs them
# in turns, and prints for each size the medians of all rounds and the ratio hcomm / the fastest other: for each other
# library the median of the ratios to the run of hcomm just before it, and of these the largest. Only runs that follow each
# other can be compared: a machine's speed drifts, and a guest's processors may share a core or nothing from one minute to
# the next.
#
# Usage: bench/compare.sh [-n RANKS] [-r ROUNDS] [-s SECONDS] [-c COLLECTIVE] [-l LEAST] [-m MOST] [-a] [-o CSV]
#   -c  allreduce, reduce, broadcast, allgather, reducescatter, alltoall, barrier; message or pingpong: see pingpong.c
#   -a  buffers from hcommMemAlloc and MPI_Alloc_mem      -o  also write every row measured to a file
set -euo pipefail

cd "$(dirname "$0")/.."
ranks=2 rounds=5 seconds=0.3 collective=allreduce least=8 most=8388608 memory=malloc csv=/dev/null
while getopts n:r:s:c:l:m:ao: option; do
  case $option in
  n) ranks=$OPTARG ;;
  r) rounds=$OPTARG ;;
  s) seconds=$OPTARG ;;
  c) collective=$OPTARG ;;
  l) least=$OPTARG ;;
  m) most=$OPTARG ;;
  a) memory=alloc ;;
  o) csv=$OPTARG ;;
  *) sed -n '/^# Usage/,/^set/{/^#/p}' "$0" >&2; exit 2 ;;
  esac
done

program=bench/yardstick.c
[[ $collective != message && $collective != pingpong ]] || program=bench/pingpong.c

build=build/bench
mkdir -p "$build"
peers=()
gcc -O2 -DHCOMM -Ibuild/include "$program" -o "$build/hcomm" -Lbuild/lib -lhcomm -Wl,-rpath,"$PWD/build/lib"
for peer in openmpi mpich; do
  if command -v "mpicc.$peer" >/dev/null; then
    "mpicc.$peer" -O2 "$program" -o "$build/$peer"
    peers+=("$peer")
  else
    echo "compare: $peer is left out, for there is no mpicc.$peer (Debian: lib$peer-dev)" >&2
  fi
done

# Above this, glibc gives large buffers back at every free, and both MPIs pay for the page faults of their temporaries.
tuned=glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296
bind=none
[ "$ranks" -gt "$(nproc)" ] || bind=core

# measure LIBRARY: one run of all sizes; CSV rows with the library's name in front.
measure() {
  local command=(build/bin/hcomm run -n "$ranks" "$build/hcomm")
  case $1 in
  openmpi*) command=(mpirun.openmpi --allow-run-as-root --oversubscribe -n "$ranks" --bind-to "$bind" "$build/openmpi") ;;
  mpich*) command=(mpirun.mpich -n "$ranks" -bind-to "$bind" "$build/mpich") ;;
  esac
  local tunables=
  [[ $1 != *-tuned ]] || tunables=$tuned
  GLIBC_TUNABLES=$tunables YARD_SECONDS=$seconds timeout 300 "${command[@]}" "$collective" "$least" "$most" "$memory" |
    sed "s/^/$1,/"
}

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
others=()
for peer in "${peers[@]}"; do others+=("$peer" "$peer-tuned"); done
for round in $(seq "$rounds"); do
  for other in "${others[@]:-none}"; do
    for library in hcomm "$other"; do
      [ "$library" != none ] || continue
      [ ! -t 2 ] || printf '\rround %d of %d: %-16s' "$round" "$rounds" "$library" >&2
      measure "$library" | sed "s/^/$round,$other,/" >>"$rows"
    done
  done
done
[ ! -t 2 ] || printf '\r%40s\r' '' >&2
{ echo "round,pair,library,collective,ranks,bytes,median_us,min_us,p99_us"; cat "$rows"; } >"$csv"

awk -F, -v others="${others[*]}" -v what="$collective, $ranks ranks, $memory" '
  function median(list, n,   i, j, t) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j-1]; j--) { t = list[j]; list[j] = list[j-1]; list[j-1] = t }
    return n % 2 ? list[(n+1)/2] : (list[n/2] + list[n/2+1]) / 2
  }
  function middle(library, bytes,   list, k, key, part) {
    k = 0
    for (key in time) { split(key, part, SUBSEP); if (part[3] == library && part[4] == bytes) list[++k] = time[key] }
    return median(list, k)
  }
  { time[$1, $2, $3, $6] = $7; if (!($6 in seen)) { seen[$6] = 1; sizes[++n] = $6 } if ($1 > rounds) rounds = $1 }
  END {
    v = split(others, other, " ")
    printf "%s; median us of %d rounds\n%10s %14s", what, rounds, "bytes", "hcomm"
    for (j = 1; j <= v; j++) printf " %14s", other[j]
    printf "   ratio (lowest-highest)\n"
    for (i = 1; i <= n; i++) {
      printf "%10d %14.2f", sizes[i], middle("hcomm", sizes[i])
      worst = 0
      for (j = 1; j <= v; j++) {
        printf " %14.2f", middle(other[j], sizes[i])
        for (r = 1; r <= rounds; r++) list[r] = time[r, other[j], "hcomm", sizes[i]] / time[r, other[j], other[j], sizes[i]]
        m = median(list, rounds)
        if (m > worst) { worst = m; low = list[1]; high = list[rounds] }
      }
      if (v) printf "   %.2f (%.2f-%.2f)\n", worst, low, high; else print ""
    }
  }' "$rows"
