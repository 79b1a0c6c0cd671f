#!/usr/bin/env bash
# Runs the tests in tests/python with the package in python/ and the library in build/: those of collectives, of
# arguments and of communicators as ranks of a job, the others alone. numpy and torch are tested where this Python has
# them.
#
# Usage: tests/python.sh
# Variables: PYTHON, another interpreter than Debian's; BUILD, as for run-c.sh.
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
build=$(realpath -e "${BUILD:-build}")
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || python=python3
PATH=$build/bin:$PATH
export PYTHONPATH=$PWD/python PYTHONPYCACHEPREFIX=$build/tests/pycache HCOMM_LIBRARY=$build/lib/libhcomm.so
export PYTHONWARNINGS=error::ResourceWarning OMP_NUM_THREADS=1

"$python" -c 'import sys; print("Python", sys.version.split()[0])'
for module in numpy torch ml_dtypes; do
  "$python" -c "import $module" 2>/dev/null || skip "$module: this Python has none"
done

# ranks FILE NUMBER
ranks() {
  check "$1: $2 ranks" timeout -k 5 300 hcomm run -n "$2" "$python" "tests/python/test_$1.py" || true
}

for number in 1 2 3 4; do ranks collectives $number; done
for number in 1 2; do ranks arguments $number; done
for number in 1 2 3 4; do ranks communicators $number; done
for file in jobs library; do
  check "$file" timeout -k 5 300 "$python" tests/python/test_$file.py || true
done
check "hello.py, 2 ranks" greets "$python" examples/hello.py || true
check "train.py, 4 ranks" timeout -k 5 120 hcomm run -n 4 "$python" examples/train.py || true
check "train.py without numpy, 2 ranks" timeout -k 5 120 hcomm run -n 2 "$python" -S examples/train.py || true
check "survive.py, 4 ranks of which 2 die" survives "$python" examples/survive.py || true
counted
