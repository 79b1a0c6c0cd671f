#!/usr/bin/env python3
"""How much more an allreduce of a numpy array costs than the same call from C: runs yardstick.c and the same in Python
in turns, and prints for each size the medians of all rounds, the median of the differences between neighbouring runs,
and how far apart C's own rounds are. The status is 1 if 8 bytes cost more than 3 µs more.

Usage: bench/python_overhead.py [--ranks 2] [--rounds 9] [--seconds 0.5]     (make first; it needs gcc and numpy)
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
BUILD = TREE / "build"
SIZES = (8, 2048, 32768, 1 << 20)
MOST = 3.0  # µs, at the first size
WARM_UP = 3


def rank():
    """What yardstick.c does, of which each line has its like here."""
    import numpy

    import hcomm

    seconds = float(os.environ["YARD_SECONDS"])
    with hcomm.Communicator.from_env() as comm:
        for size in SIZES:
            source, result = numpy.zeros(size // 4, numpy.float32), numpy.zeros(size // 4, numpy.float32)
            both, largest = numpy.zeros(2), numpy.zeros(2)
            took, i, iterations = [], -WARM_UP, 20000
            while i < iterations:
                source += 1
                comm.barrier()
                begun = time.monotonic()
                comm.all_reduce(source, result)
                ended = time.monotonic()
                both[:] = begun, ended
                comm.all_reduce(both, largest, op="max")
                result.sum()
                took.append(largest[1] - largest[0])
                i += 1
                if i == 0:
                    both[:] = time.monotonic() - begun
                    comm.all_reduce(both, largest, op="max")
                    iterations, took = int(min(max(seconds / largest[0], 7), iterations)), []
            if comm.rank == 0:
                print(f"allreduce,{comm.size},{size},{statistics.median(took) * 1e6}")


def measure(arguments, command):
    """Medians in µs by size."""
    run = [str(BUILD / "bin" / "hcomm"), "run", "-n", str(arguments.ranks), *command]
    environment = {**os.environ, "YARD_SECONDS": str(arguments.seconds), "PYTHONPATH": str(TREE / "python")}
    output = subprocess.run(run, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
    return {int(row.split(",")[2]): float(row.split(",")[3]) for row in output.split()}


def main():
    parser = argparse.ArgumentParser(description="An allreduce from Python beside the same from C.")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each size")
    arguments = parser.parse_args()

    yardstick = BUILD / "bench" / "hcomm"
    yardstick.parent.mkdir(exist_ok=True)
    flags = [f"-I{BUILD}/include", f"-L{BUILD}/lib", "-lhcomm", f"-Wl,-rpath,{BUILD}/lib"]
    subprocess.run(["gcc", "-O2", "-DHCOMM", "-o", yardstick, TREE / "bench" / "yardstick.c", *flags], check=True)

    rounds = []
    for number in range(arguments.rounds):
        if sys.stderr.isatty():
            print(f"\rround {number + 1} of {arguments.rounds}", end="\r", file=sys.stderr)
        in_c = {}
        for size in SIZES:
            in_c.update(measure(arguments, [str(yardstick), "allreduce", str(size), str(size)]))
        rounds.append((in_c, measure(arguments, [sys.executable, str(Path(__file__).resolve()), "--rank"])))

    print(f"allreduce of float32, {arguments.ranks} ranks, medians of {arguments.rounds} rounds, µs")
    print(f"{'bytes':>9} {'C':>9} {'Python':>9} {'more':>9}   C's rounds")
    for size in SIZES:
        c, python = [a[size] for a, _ in rounds], [b[size] for _, b in rounds]
        more = statistics.median(y - x for x, y in zip(c, python))
        medians = f"{statistics.median(c):9.2f} {statistics.median(python):9.2f}"
        print(f"{size:9} {medians} {more:9.2f}   {min(c):.2f} to {max(c):.2f}")
        if size == SIZES[0]:
            good = more <= MOST
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(rank() if sys.argv[1:] == ["--rank"] else main())
