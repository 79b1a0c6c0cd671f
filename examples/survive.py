#!/usr/bin/env python3
"""Goes on when ranks die. In each step they add up the numbers of a batch, each rank its share; in step 3 the last rank
is killed, in step 6 the last but one, and the others share among them what these would have done. survive.c is the same
in C.

    hcomm run -n 4 --no-kill python3 examples/survive.py

Without --no-kill, hcomm run would end the others a few seconds after the first has died. Its status is that of the
first that failed, here 137, for SIGKILL.
"""

import array
import os
import signal
import sys

import hcomm

STEPS, BATCH = 10, 1000


def add_up(comm, step):
    share = range(step * BATCH + comm.rank, (step + 1) * BATCH, comm.size)
    total = array.array("q", [sum(share)])
    comm.all_reduce(total)
    return total[0]


def without_the_dead(comm):
    """After an error because of a dead rank: a communicator of those that live, also if more have died."""
    if comm.rank == 0:
        for rank in comm.failed_ranks():
            print(f"rank {rank} of {comm.size} has died")
    with comm:
        return comm.shrink()


def earliest(comm, step):
    """A rank that had all it needed has done the step that failed on others: all begin with the earliest."""
    step = array.array("i", [step])
    comm.all_reduce(step, op="min")
    return step[0]


def main():
    comm = hcomm.Communicator.from_env()
    name = comm.size - comm.rank  # it stays, where the rank may change
    totals = [0] * (STEPS + 1)  # before each step, for one may have to be done again

    step = 0
    while step < STEPS:
        if (step, name) in ((3, 1), (6, 2)):
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            totals[step + 1] = totals[step] + add_up(comm, step)
            step += 1
        except hcomm.Error as error:
            if error.name != "hcommRemoteError":
                raise
            comm = without_the_dead(comm)
            step = earliest(comm, step)

    if comm.rank == 0:
        print(f"{comm.size} of the ranks have added up {totals[STEPS]}")
    comm.close()
    return totals[STEPS] != sum(range(STEPS * BATCH))


if __name__ == "__main__":
    sys.exit(main())
