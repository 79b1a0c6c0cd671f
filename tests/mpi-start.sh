#!/usr/bin/env bash
# How libhcomm_mpi.so starts, or does not: a job of which a process lacks it, or in which hcomm cannot start, runs on the MPI
# alone, with one warning; commands without MPI do not notice that it is preloaded.
#
# Usage: tests/mpi-start.sh
# Variable: BUILD, as for run-c.sh.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
BUILD=$(realpath -e "${BUILD:-build}")
. tests/check.sh
. tests/mpi-jobs.sh
library=$BUILD/lib/libhcomm_mpi.so
[ -e "$library" ] || { echo "$0: there is no $library" >&2 && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$log" "$scratch"' EXIT

# ---- jobs ----

# job COMMAND...: runs it, and shows what it said on standard error, of which $scratch/said keeps hcomm's lines.
job() {
  local status=0
  timeout -k 5 60 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  cat "$scratch/out" "$scratch/err"
  grep '^hcomm' "$scratch/err" >"$scratch/said" || true
  return $status
}

# served and alone: the job is, or it is not and there is one warning, with these words.
served() {
  job env HCOMM_MPI_REPORT=1 "$@" && awk -f tests/mpi/report.awk "$scratch/err" | grep '^allreduce [1-9]'
}

alone() {
  local words=$1
  shift
  job "$@" || return
  [ "$(wc -l <"$scratch/said")" = 1 ] && grep -q "^hcomm: warning: .*$words" "$scratch/said" && return
  echo "there is not one warning with the words: $words"
  return 1
}

silent() {
  job "$@" && [ ! -s "$scratch/said" ]
}

# jobs MPI
jobs_of() {
  local program=$BUILD/tests/mpi/$1/start launch with=(env "LD_PRELOAD=$library" HCOMM_MPI_AFTER=1) copied less
  launcher "$1"
  mkdir -p "$(dirname "$program")" "$scratch/$1"
  cp "$library" "$scratch/$1/"
  copied=(env "LD_PRELOAD=$scratch/$1/libhcomm_mpi.so" HCOMM_MPI_AFTER=1)
  less=(prlimit --as=1000000000 "${with[@]}")
  check "$1: build" "mpicc.$1" -O1 -g -o "$program" tests/mpi/start.c || return 0
  check "$1: all processes have it" served "${launch[@]}" -n 3 "${with[@]}" "$program" || true
  check "$1: the variables are the launcher's" served "${with[@]}" "${launch[@]}" -n 2 "$program" || true
  check "$1: one process" silent "${launch[@]}" -n 1 "${with[@]}" "$program" || true
  check "$1: a process without MPI's launcher" silent "${with[@]}" "$program" || true
  check "$1: the first lacks it" alone "2 of 3 processes" \
    "${launch[@]}" -n 1 "$program" : -n 2 "${with[@]}" "$program" || true
  check "$1: the last lacks it" alone "2 of 3 processes" \
    "${launch[@]}" -n 2 "${with[@]}" "$program" : -n 1 "$program" || true
  check "$1: all switch it off" silent "${launch[@]}" -n 3 "${with[@]}" HCOMM_MPI=off "$program" || true
  check "$1: one switches it off" alone "2 of 3 processes" \
    "${launch[@]}" -n 2 "${with[@]}" "$program" : -n 1 "${with[@]}" HCOMM_MPI=off "$program" || true
  check "$1: no libhcomm.so.1" alone "libhcomm.so.1" "${launch[@]}" -n 3 "${copied[@]}" "$program" || true
  check "$1: the first has no libhcomm.so.1" alone "libhcomm.so.1" \
    "${launch[@]}" -n 1 "${copied[@]}" "$program" : -n 2 "${with[@]}" "$program" || true
  check "$1: the last has no libhcomm.so.1" alone "libhcomm.so.1" \
    "${launch[@]}" -n 2 "${with[@]}" "$program" : -n 1 "${copied[@]}" "$program" || true
  check "$1: the first has too little memory" alone "" \
    "${launch[@]}" -n 1 "${less[@]}" "$program" : -n 2 "${with[@]}" "$program" || true
  check "$1: the last has too little memory" alone "" \
    "${launch[@]}" -n 2 "${with[@]}" "$program" : -n 1 "${less[@]}" "$program" || true
}

# ---- commands without MPI ----

# unnoticed COMMAND...: it says the same with the library and without.
unnoticed() {
  local with without
  without=$("$@" 2>&1) || return
  with=$(LD_PRELOAD=$library HCOMM_MPI_REPORT=1 "$@" 2>&1) || return
  same "$with" "$without"
}

# microseconds COMMAND...: how long it takes.
microseconds() {
  local before=${EPOCHREALTIME/./}
  "$@" >/dev/null 2>&1
  echo $((${EPOCHREALTIME/./} - before))
}

middle() { sort -n | sed -n "$((TIMES / 2))p"; }

# fast COMMAND...: the library adds less than a millisecond, in the middle of those many turns.
TIMES=200
fast() {
  local i
  for ((i = 0; i < TIMES; i++)); do
    microseconds "$@" >>"$scratch/without"
    LD_PRELOAD=$library microseconds "$@" >>"$scratch/with"
  done
  local without with
  without=$(middle <"$scratch/without") with=$(middle <"$scratch/with")
  rm "$scratch/without" "$scratch/with"
  echo "$with µs with the library, $without without"
  [ $((with - without)) -lt 1000 ]
}

commands() {
  local python=/usr/bin/python3 threads='import os; print(len(os.listdir("/proc/self/task")))'
  check "bash and a pipe" unnoticed bash -c 'ls tests | wc -l' || true
  # shellcheck disable=SC2016 # for the inner shell
  check "the threads of bash" unnoticed bash -c 'echo /proc/$$/task/* | wc -w' || true
  check "the time of a command" fast /bin/true || true
  check "the time of a shell" fast bash -c : || true
  if command -v $python >/dev/null; then
    check "Python" unnoticed $python -c pass || true
    check "the threads of Python" unnoticed $python -c "$threads" || true
  fi
}

# launchers MPI: that of the MPI, which has the library in it, too, as has its helper, the parent of the ranks.
launchers() {
  local launch
  launcher "$1"
  check "$1: the launcher" unnoticed timeout 20 "${launch[@]}" -n 2 echo started || true
  # shellcheck disable=SC2016 # for the inner shell
  check "$1: the threads of the launcher" unnoticed timeout 20 "${launch[@]}" -n 1 bash -c 'echo /proc/$PPID/task/* | wc -w' || true
}

commands
for mpi in openmpi mpich; do
  here "$mpi" || continue
  launchers "$mpi"
  jobs_of "$mpi"
done
counted
