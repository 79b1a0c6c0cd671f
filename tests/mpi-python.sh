#!/usr/bin/env bash
# Runs the tests in tests/mpi/python, with mpi4py and Open MPI: as they are, and with the library that serves MPI programs
# preloaded, if it is in lib/ of build/, or of the folder that the variable BUILD names. Then the report must say that
# collectives of every kind were served, for more than one rank.
#
# Usage: tests/mpi-python.sh [RANKS...]      (1 2 3 4 if it is not said)
# Variables: PYTHON, another interpreter than Debian's; TEST_SLOWNESS=3 multiplies the timeouts.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
build=$(realpath -m "${BUILD:-build}")
library=$build/lib/libhcomm_mpi.so
output=$build/tests/mpi-python
python=${PYTHON:-/usr/bin/python3}
export PYTHONPYCACHEPREFIX=$build/tests/pycache OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$output"
[ $# != 0 ] || set -- 1 2 3 4

# job OUTPUT RANKS [NAME=VALUE...]: the tests, with these variables.
job() {
  local file=$1 ranks=$2 status=0
  shift 2
  timeout -k 5 $((60 * ${TEST_SLOWNESS:-1})) env "$@" mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none \
    -n "$ranks" "$python" tests/mpi/python >"$file" 2>&1 || status=$?
  [ $status = 0 ] || cat "$file"
  return $status
}

# served OUTPUT: of each collective, blocking and not, calls were served.
served() {
  local report collective status=0
  report=$(awk -f tests/mpi/report.awk "$1")
  for collective in {,i}{allreduce,reduce,bcast,allgather,alltoall,reduce_scatter_block,gather,scatter,barrier}; do
    grep -q "^$collective [1-9]" <<<"$report" || { echo "no $collective was served" && status=1; }
  done
  [ $status = 0 ] || printf 'The report says (collective, served, passed on):\n%s\n' "$report"
  return $status
}

# preloaded OUTPUT RANKS
preloaded() {
  job "$1" "$2" LD_PRELOAD="$library" HCOMM_MPI_AFTER=1 HCOMM_MPI_ALWAYS=1 HCOMM_MPI_REPORT=1 || return
  [ "$2" = 1 ] || served "$1"
}

for command in mpirun.openmpi "$python"; do
  if ! command -v "$command" >/dev/null; then
    echo "tests/mpi-python.sh: there is no $command (Debian: openmpi-bin, python3-mpi4py, python3-numpy)" >&2
    exit 1
  fi
done
if ! "$python" -c 'import mpi4py, numpy' 2>/dev/null; then
  echo "tests/mpi-python.sh: $python lacks mpi4py or numpy (Debian: python3-mpi4py, python3-numpy)" >&2
  exit 1
fi
[ -e "$library" ] || echo "There is no $library: the tests are run without it only."
for ranks in "$@"; do
  check "$ranks ranks" job "$output/$ranks" "$ranks" || true
  [ ! -e "$library" ] || check "$ranks ranks, preloaded" preloaded "$output/$ranks.preloaded" "$ranks" || true
done
counted
