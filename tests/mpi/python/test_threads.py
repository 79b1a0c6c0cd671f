"""Threads that call at the same time, each in a communicator of its own."""

import threading
import unittest

from job import FORMS, WORLD, of_ranks, reduced, same, untouched, values
from mpi4py import MPI

THREADS, ROUNDS = 3, 40


def together(function):
    """Runs function(i) in THREADS threads; the first exception is raised here."""
    failures = []

    def run(i):
        try:
            function(i)
        except BaseException as failure:
            failures.append(failure)
            raise

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@unittest.skipIf(MPI.Query_thread() < MPI.THREAD_MULTIPLE, "this MPI has no threads")
class Threads(unittest.TestCase):
    def setUp(self):
        self.comms = [WORLD.Dup() for _ in range(THREADS)]

    def tearDown(self):
        for comm in self.comms:
            comm.Free()

    def test_collectives(self):
        def run(i):
            comm = self.comms[i]
            for round in range(ROUNDS):
                call, count = FORMS[(i + round) % 3], (1, 1000)[round % 2]
                to = untouched("f4", count)
                call(comm, "Allreduce", values("f4", comm.rank, count, i), to)
                same(to, reduced("SUM", of_ranks(comm, "f4", count, i)), i, round)
                to = untouched("i4", comm.size, count)
                call(comm, "Allgather", values("i4", comm.rank, count, i), to)
                same(to, of_ranks(comm, "i4", count, i), i, round)
                call(comm, "Barrier")

        together(run)

    def test_messages_beside_collectives(self):
        def run(i):
            comm = self.comms[i]
            for round in range(ROUNDS):
                if i % 2 == 0:
                    to = untouched("i4", 3000)
                    comm.Sendrecv(values("i4", comm.rank, 3000, i), (comm.rank + 1) % comm.size, round, to, (comm.rank - 1) % comm.size)
                    same(to, values("i4", (comm.rank - 1) % comm.size, 3000, i), i, round)
                else:
                    to = values("f8", comm.rank, 1000)
                    comm.Bcast(to, round % comm.size)
                    same(to, values("f8", round % comm.size, 1000), i, round)

        together(run)

    def test_communicators_made_and_freed(self):
        def run(i):
            for round in range(10):
                comm = self.comms[i].Split(0, -self.comms[i].rank)
                to = untouched("i4", comm.size)
                comm.Allgather(values("i4", comm.rank, 1), to)
                same(to, [x[0] for x in of_ranks(comm, "i4", 1)], i, round)
                comm.Free()

        together(run)
