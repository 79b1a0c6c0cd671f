#!/usr/bin/env bash
# Runs applications of Debian's that use MPI's collectives, without the library that serves MPI programs and with it in turns,
# compares what they compute to the last digit that they print, and shows the seconds of both and what was served.
#
# Usage: tests/mpi-applications.sh [--rounds N] [NAME...]      (3 rounds; without names: all)
#
#   silicon             quantum-espresso: eight atoms of silicon, with Open MPI
#   laplace             petsc: conjugate gradients, with Open MPI
#   eigenvalues         scalapack, with Open MPI
#   eigenvalues-mpich   scalapack, with MPICH
#
# Each is run with 2 and with 4 ranks. What a run printed is in BUILD/tests/mpi-applications; BUILD is build if it is not set.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
build=$(realpath -e "${BUILD:-build}")
library=$build/lib/libhcomm_mpi.so
folder=$build/tests/mpi-applications
sources=$PWD/tests/mpi/applications
petsc=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
rounds=3
if [ "${1:-}" = --rounds ]; then
  rounds=$2
  shift 2
fi
[ $# != 0 ] || set -- silicon laplace eigenvalues eigenvalues-mpich
mkdir -p "$folder/openmpi" "$folder/mpich"
[ -e "$library" ] || { echo "$0: there is no $library" >&2 && exit 1; }

# lacks NAME: what Debian packages an application needs that are not here.
lacks() {
  case $1 in
  silicon) command -v pw.x >/dev/null || echo quantum-espresso quantum-espresso-data ;;
  laplace) [ -e $petsc/lib/libpetsc_real.so ] || echo libpetsc-real3.18-dev ;;
  eigenvalues) dpkg -s libscalapack-openmpi-dev >/dev/null 2>&1 || echo libscalapack-openmpi-dev ;;
  eigenvalues-mpich) dpkg -s libscalapack-mpich-dev >/dev/null 2>&1 || echo libscalapack-mpich-dev ;;
  *) echo "$0: there is no $1" >&2 && exit 2 ;;
  esac
}

# prepare NAME: builds what is ours.
prepare() {
  local flags=(-std=gnu11 -O2 -Wall -Wextra)
  case $1 in
  laplace)
    mpicc.openmpi "${flags[@]}" -o "$folder/openmpi/laplace" "$sources/laplace.c" \
      -I$petsc/include -I/usr/share/petsc/3.18/include -L$petsc/lib -lpetsc_real
    ;;
  eigenvalues) mpicc.openmpi "${flags[@]}" -o "$folder/openmpi/eigenvalues" "$sources/eigenvalues.c" -lscalapack-openmpi -lm ;;
  eigenvalues-mpich) mpicc.mpich "${flags[@]}" -o "$folder/mpich/eigenvalues" "$sources/eigenvalues.c" -lscalapack-mpich -lm ;;
  esac
}

# start NAME RANKS: an application, in the folder. Each rank has a processor of its own if there are enough.
start() {
  local bind=core
  [ "$2" -le "$(nproc)" ] || bind=none
  local openmpi=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to "$bind" -n "$2")
  case $1 in
  silicon) "${openmpi[@]}" pw.x -in "$sources/silicon.in" ;;
  laplace) "${openmpi[@]}" openmpi/laplace -n 120 -times 40 ;;
  eigenvalues) "${openmpi[@]}" openmpi/eigenvalues 1200 ;;
  eigenvalues-mpich) mpirun.mpich -bind-to "$bind" -n "$2" mpich/eigenvalues "$([ "$2" = 2 ] && echo 1200 || echo 100)" ;;
  esac
}

# computed NAME OUTPUT
computed() {
  case $1 in
  silicon) grep -E '^!? *(total energy|convergence|Total force|atom +[0-9]+ type)' "$2" ;;
  *) grep '^result: ' "$2" ;;
  esac
}

# seconds NAME OUTPUT
seconds() {
  case $1 in
  silicon) awk '$1 == "electrons" { sub("s", "", $5); print $5 }' "$2" ;;
  *) sed -n 's/^seconds: //p' "$2" ;;
  esac
}

# job KIND NAME RANKS: one run: plain, preloaded, or served as soon as can be.
job() {
  local output=$folder/$2.$3.$1 status=0 vars=(HCOMM_MPI_REPORT=1)
  [ "$1" = plain ] || vars+=(LD_PRELOAD="$library")
  [ "$1" != served ] || vars+=(HCOMM_MPI_AFTER=1)
  (cd "$folder" && export "${vars[@]}" && limited start "$2" "$3") >"$output" 2>&1 || status=$?
  if [ $status != 0 ] || ! computed "$2" "$output" >"$output.result"; then
    tail -n 20 "$output"
    return 1
  fi
  seconds "$2" "$output" >>"$folder/$2.$3.$1.seconds"
}

# limited COMMAND...: a shell function that is ended with its children after five minutes.
limited() {
  local pid watch status=0
  set -m
  "$@" &
  pid=$!
  { sleep 300 && kill -- -$pid; } 2>/dev/null &
  watch=$!
  wait $pid || status=$?
  kill -- -$watch 2>/dev/null || true
  return $status
}

middle() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# compare NAME RANKS: rounds without the library and with it, and one in which whatever can be is served.
compare() {
  local round
  rm -f "$folder/$1.$2".*
  for ((round = 0; round < rounds; round++)); do
    job plain "$1" "$2" || return
    job preloaded "$1" "$2" || return
    diff "$folder/$1.$2".{plain,preloaded}.result || return
  done
  job served "$1" "$2" || return
  diff "$folder/$1.$2".{plain,served}.result || return
  awk -f tests/mpi/report.awk "$folder/$1.$2.served" | grep -q '^[a-z_]* [1-9]' || { echo "nothing was served" && return 1; }
}

for name in "$@"; do
  missing=$(lacks "$name")
  if [ -n "$missing" ]; then
    skip "$name: not installed: $missing"
    continue
  fi
  check "$name: build" prepare "$name" || continue
  for ranks in 2 4; do
    check "$name, $ranks ranks" compare "$name" "$ranks" || continue
    echo "      $(middle "$folder/$name.$ranks.plain.seconds") s, preloaded $(middle "$folder/$name.$ranks.preloaded.seconds") s"
    sed -n 's/^hcomm: /      /p' "$folder/$name.$ranks.preloaded"
  done
done
counted
