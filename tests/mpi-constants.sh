#!/usr/bin/env bash
# Compares what libhcomm_mpi.so knows of the binary interfaces of MPI, capi/mpi/constants.h, with their headers: those of the
# MPIs that are installed, include/hcomm.h, which has the values of the MPI 5.0 ABI, and the header that MPI_ABI_HEADER names,
# an mpi.h with that interface. Then it sees to it that a number that is wrong would be found.
#
# Usage: tests/mpi-constants.sh
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
folder=${BUILD:-build}/tests/mpi
mkdir -p "$folder"

# same COMPILER OPTION...: it compiles, and finds nothing wrong when it runs.
same() {
  local compiler=$1
  shift
  "$compiler" -std=gnu11 -Wall -Wextra -Werror -Wno-stringop-overflow "$@" -o "$folder/constants" && "$folder/constants"
}

# differs LINE COMPILER OPTION...: it says what is wrong in a constants.h that the line, a script for sed, has changed.
differs() {
  local changed=$folder/changed line=$1
  shift
  mkdir -p "$changed/capi/mpi" "$changed/tests/mpi"
  cp tests/mpi/constants.c "$changed/tests/mpi/" && sed "$line" capi/mpi/constants.h >"$changed/capi/mpi/constants.h" || return 1
  if same "$@" "$changed/tests/mpi/constants.c" >"$changed/said" 2>&1; then
    echo "nothing was found" && return 1
  fi
  grep '[A-Z0-9_)] is not ' "$changed/said" || { cat "$changed/said" && return 1; }
}

# compared NAME LINE COMPILER OPTION...
compared() {
  local name=$1 line=$2
  shift 2
  check "$name" same "$@" tests/mpi/constants.c || true
  check "$name, with another number" differs "$line" "$@" || true
}

# installed NAME COMPILER PACKAGE LINE
installed() {
  if command -v "$2" >/dev/null; then
    compared "$1" "$4" "$2"
  else
    skip "$1: there is no $2 (Debian: $3)"
  fi
}

installed MPICH mpicc.mpich libmpich-dev 's/(INTEGER2, 0x4c00022f/(INTEGER2, 0x4c00022e/'
installed "Open MPI" mpicc.openmpi libopenmpi-dev 's/integer2/integer4/'
compared "the MPI 5.0 ABI, as in include/hcomm.h" 's/0x248, SIGNED/0x249, SIGNED/' gcc "-DHEADER=\"$PWD/include/hcomm.h\""
if [ -n "${MPI_ABI_HEADER:-}" ]; then
  compared "the MPI 5.0 ABI, $MPI_ABI_HEADER" 's/0x2c9, SIGNED/0x2c8, SIGNED/' gcc "-DHEADER=\"$(realpath -e "$MPI_ABI_HEADER")\""
else
  skip "the MPI 5.0 ABI, all of it: MPI_ABI_HEADER names no header with it"
fi
counted
