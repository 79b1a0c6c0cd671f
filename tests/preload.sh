#!/usr/bin/env bash
# Looks at a libhcomm_mpi.so, wherever it is installed: it exports nothing but functions of MPI, each by both of its names;
# it needs libc alone, wherever it is built. Then an MPI program runs with it, under each MPI that is here, and is served.
#
# Usage: tests/preload.sh LIBRARY [--look]      --look: nothing is run
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
library=$(realpath -e "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$log"' EXIT

exports() {
  local names
  names=$(readelf -W --dyn-syms "$library" | awk '$5 != "LOCAL" && $7 ~ /^[0-9]+$/ { print $8 }')
  [ -z "$(grep -vE '^P?MPI_[A-Z][a-z_]*$' <<<"$names" | tee /dev/stderr)" ] &&
    diff <(grep '^MPI_' <<<"$names" | sort) <(sed -n 's/^PMPI_/MPI_/p' <<<"$names" | sort) && grep -qx MPI_Allreduce <<<"$names"
}

needs() {
  same "$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')" libc.so.6 &&
    same "$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" libhcomm_mpi.so
}

# stays_out: a program without MPI has the library in it, but neither libhcomm.so nor a thread more.
stays_out() {
  local said
  # shellcheck disable=SC2016 # for the inner shell
  said=$(LD_PRELOAD=$library bash -c 'cat /proc/$$/maps; grep Threads: /proc/$$/status') || return 1
  grep -qF "$library" <<<"$said" && ! grep -q 'libhcomm\.so' <<<"$said" && grep -qx 'Threads:[[:space:]]*1' <<<"$said"
}

# serves MPI: an unchanged program gets the same result, by calls that were served.
serves() {
  local run=("mpirun.$1" -n 2)
  [ "$1" = mpich ] || run+=(--allow-run-as-root --oversubscribe)
  "mpicc.$1" -O2 -o "$folder/cg" examples/mpi/cg.c -lm || return 1
  (cd "$folder" && timeout -k 5 60 env LD_PRELOAD="$library" HCOMM_MPI_REPORT=1 HCOMM_MPI_AFTER=8 "${run[@]}" ./cg) 2>&1 | tee "$folder/said"
  grep -q '^2 ranks: 579 turns' "$folder/said" && awk -f tests/mpi/report.awk "$folder/said" | grep -E '^allreduce [1-9]'
}

check "what it exports" exports || true
check "what it needs" needs || true
if [ "${2:-}" != --look ]; then
  check "a program without MPI" stays_out || true
  for mpi in openmpi mpich; do
    if command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null; then
      check "a program with $mpi" serves "$mpi" || true
    else
      skip "a program with $mpi: it is not installed"
    fi
  done
fi
counted
