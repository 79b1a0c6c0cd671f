#!/usr/bin/env bash
# Builds and runs the MPI programs in tests/mpi, with Open MPI and with MPICH: as they are, and with the library that serves
# MPI programs preloaded, if it is in lib/ of build/, or of the folder that the variable BUILD names. Each program says how in
# the comment at its top, one line for each run:
#
#   run: 2 %p ARGS                with 2 ranks; %p is the program, and NAME=VALUE before it are variables; the run passes
#                                 with status 0, or N if status=N is before %p, too; before=NAME.so and after=NAME.so
#                                 there are preloaded, before the library and after it
#   run mpich: 2 %p               with that MPI only
#   slow: 2 %p                    one that is done with --slow only, and then nothing else is; "slow mpich:", too
#   serves: allreduce bcast       collectives of which the report must say that calls were served, if there is more than one
#                                 rank and the library is preloaded
#   passes: ibarrier              collectives of which it must say that none was
#   same: result                  its lines that begin with this word, sorted, are the same in both modes
#   flags: -pthread               for the compiler; %d is the folder of what is built
#   needs: libNAME.c              what is built to libNAME.so before
#   timeout: 60                   seconds for each of the runs, ten times that for a slow one; 60 if it is not said
#
# Usage: tests/run-mpi.sh [--mpi openmpi|mpich] [--mode plain|preload] [--slow] [NAME ...]
#
# NAME is collectives for collectives.c; without names: all. A mode is how the programs are run; without it: both.
# What each run printed is in BUILD/tests/mpi/MPI/output, *.err is what it printed on standard error. TEST_SLOWNESS=3
# multiplies the timeouts.
#
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
BUILD=$(realpath -e "${BUILD:-build}")
. tests/check.sh
. tests/mpi-jobs.sh
library=$BUILD/lib/libhcomm_mpi.so
mpis="openmpi mpich" modes="plain preload" kind=run

while [[ "${1:-}" == --* ]]; do
  case $1 in
  --mpi) mpis=$2 && shift ;;
  --mode) modes=$2 && shift ;;
  --slow) kind=slow ;;
  *) echo "$0: $1 is not known" >&2 && exit 2 ;;
  esac
  shift
done
names=" $* "

# compilable MPI FILE: there is a compiler for its language.
compilable() {
  case $2 in
  *.f | *.f90) "mpifort.$1" --version >/dev/null 2>&1 || { skip "$1: $(basename "$2"), for there is no Fortran (Debian: gfortran)" && return 1; } ;;
  esac
}

# compile MPI FILE OUT: unless it is built. MPICH's header declares MPI_STATUSES_IGNORE in a way at which gcc takes offence.
compile() {
  local mpi=$1 file=$2 out=$3 flags line need warnings=(-Wall -Wextra -Werror) source
  line=$(said "$file" flags)
  read -ra flags <<<"${line//%d/"$(dirname "$out")"}"
  for need in $(said "$file" needs); do
    compile "$mpi" "tests/mpi/$need" "$(dirname "$out")/${need%.c}.so" || return 1
  done
  [ "$mpi" != mpich ] || warnings+=(-Wno-stringop-overflow)
  for source in "$file" tests/mpi/*.h tests/mpi/*profiler.c; do
    [ "$out" -nt "$source" ] || break
  done
  [ ! "$out" -nt "$source" ] || return 0
  case $file in
  */lib*.c) set -- "mpicc.$mpi" -std=gnu11 "${warnings[@]}" -shared -fPIC ;;
  *.c) set -- "mpicc.$mpi" -std=gnu11 "${warnings[@]}" ;;
  *.cpp) set -- "mpicxx.$mpi" -std=c++11 "${warnings[@]}" ;;
  *) set -- "mpifort.$mpi" -Wall -J "$(dirname "$out")" ;;
  esac
  "$@" -O1 -g -o "$out" "$file" "${flags[@]}"
}

# served FILE OUTPUT: what the program says is served was.
served() {
  local report collective status=0
  report=$(awk -f tests/mpi/report.awk "$2.err")
  for collective in $(said "$1" serves); do
    grep -q "^$collective [1-9]" <<<"$report" || { echo "no $collective was served" && status=1; }
  done
  for collective in $(said "$1" passes); do
    grep -q "^$collective 0 [1-9]" <<<"$report" || { echo "an $collective was served, or none was called" && status=1; }
  done
  [ $status = 0 ] || printf 'The report says (collective, served, passed on):\n%s\n' "$report"
  return $status
}

# same_lines FILE PLAIN PRELOAD: what a program says is the same in both outputs is.
same_lines() {
  local word
  word=$(said "$1" same)
  [ -n "$word" ] && [ -e "$2" ] || return 0
  diff <(grep "^$word" "$2" | LC_ALL=C sort) <(grep "^$word" "$3" | LC_ALL=C sort) && return
  echo "Above: what is different without (<) and with (>) the library"
  return 1
}

# job MODE MPI FILE OUTPUT RANKS WORDS...: one run.
job() {
  local mode=$1 mpi=$2 file=$3 output=$4 ranks=$5 limit status=0 want=0 vars=() preload='' launch
  shift 5
  limit=$(said "$file" timeout | head -n 1)
  limit=$((${limit:-60} * ${TEST_SLOWNESS:-1}))
  [ $kind = run ] || limit=${limit}0
  [ "$mode" = plain ] || preload=$library
  [ "$mode" = plain ] || vars=(HCOMM_MPI_AFTER=1 HCOMM_MPI_ALWAYS=1 HCOMM_MPI_REPORT=1 TEST_SERVED=1)
  while [[ "$1" == *=* ]]; do
    case $1 in
    status=*) want=${1#*=} ;;
    before=*) preload="$folder/${1#*=} $preload" ;;
    after=*) preload="$preload $folder/${1#*=}" ;;
    *) vars+=("$1") ;;
    esac
    shift
  done
  launcher "$mpi"
  timeout -k 5 "$limit" env LD_PRELOAD="$preload" "${vars[@]}" "${launch[@]}" -n "$ranks" "$@" >"$output" 2>"$output.err" || status=$?
  if [ $status != "$want" ]; then
    echo "status $status, not $want"
    cat "$output" "$output.err"
    return 1
  fi
  [ "$mode" = preload ] && [ "$want" = 0 ] || return 0
  same_lines "$file" "${output%preload}plain" "$output" || return 1
  [ "$ranks" = 1 ] || served "$file" "$output" || { cat "$output.err" && return 1; }
}

# runs MPI FILE: the lines that say how.
runs() {
  said "$2" $kind
  said "$2" "$kind $1"
}

# program MPI FILE: its runs.
program() {
  local mpi=$1 file=$2 name line mode words
  name=$(basename "${file%.*}")
  while read -r line; do
    [ -n "$line" ] || continue
    read -ra words <<<"${line//%p/"$folder/$name"}"
    for mode in $modes; do
      [ "$mode" = plain ] || [ -e "$library" ] || continue
      check "$mpi, $mode: $name: $line" job "$mode" "$mpi" "$file" "$folder/output/$name ${line//[^A-Za-z0-9]/_} $mode" "${words[@]}" || true
    done
  done < <(runs "$mpi" "$file")
}

# wanted MPI FILE: no names were given, or its was; and it has runs.
wanted() {
  { [ "$names" = "  " ] || [[ "$names" == *" $(basename "${2%.*}") "* ]]; } && [ -n "$(runs "$1" "$2")" ]
}

[ -e "$library" ] || echo "There is no $library: the programs are run without it only."
for mpi in $mpis; do
  here "$mpi" || continue
  folder=$BUILD/tests/mpi/$mpi
  mkdir -p "$folder/output"
  for file in tests/mpi/*.c tests/mpi/*.cpp tests/mpi/*.f tests/mpi/*.f90; do
    [ -e "$file" ] || continue
    wanted "$mpi" "$file" || continue
    compilable "$mpi" "$file" || continue
    check "$mpi: $(basename "$file"): build" compile "$mpi" "$file" "$folder/$(basename "${file%.*}")" || continue
    program "$mpi" "$file"
  done
done
counted
