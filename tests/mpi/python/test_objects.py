"""The lower-case calls, which move objects: these are pickled, so that sizes go first and blocks differ."""

import functools
import operator
import unittest

from job import COMMS
from mpi4py import MPI


def thing(rank, salt=0):
    """An object whose pickle is of another size on each rank."""
    return {"rank": rank, "salt": salt, "list": list(range(rank * 300)), "text": "x" * (rank + salt)}


class Objects(unittest.TestCase):
    def each(self):
        for name, comm in COMMS.items():
            with self.subTest(name):
                yield comm, [thing(rank) for rank in range(comm.size)]

    def test_bcast(self):
        for comm, all in self.each():
            for root in range(comm.size):
                self.assertEqual(comm.bcast(all[root] if comm.rank == root else None, root), all[root])

    def test_gather(self):
        for comm, all in self.each():
            for root in range(comm.size):
                self.assertEqual(comm.gather(all[comm.rank], root), all if comm.rank == root else None)

    def test_scatter(self):
        for comm, all in self.each():
            for root in range(comm.size):
                self.assertEqual(comm.scatter(all if comm.rank == root else None, root), all[comm.rank])

    def test_allgather(self):
        for comm, all in self.each():
            self.assertEqual(comm.allgather(all[comm.rank]), all)

    def test_alltoall(self):
        for comm, all in self.each():
            have = comm.alltoall([thing(comm.rank, rank) for rank in range(comm.size)])
            self.assertEqual(have, [thing(rank, comm.rank) for rank in range(comm.size)])

    def test_allreduce(self):
        for comm, all in self.each():
            for op, of in ((MPI.SUM, operator.add), (MPI.MAX, max), (operator.add, operator.add)):
                numbers = [(rank, 10 * rank) for rank in range(comm.size)]
                self.assertEqual(comm.allreduce(numbers[comm.rank], op), functools.reduce(of, numbers))

    def test_reduce(self):
        for comm, all in self.each():
            for root in range(comm.size):
                want = "".join(chr(97 + rank) for rank in range(comm.size)) if comm.rank == root else None
                self.assertEqual(comm.reduce(chr(97 + comm.rank), MPI.SUM, root), want)

    def test_minloc(self):
        for comm, all in self.each():
            self.assertEqual(comm.allreduce((abs(comm.rank - 1), comm.rank), MPI.MINLOC), (0, 1) if comm.size > 1 else (1, 0))

    def test_scan(self):
        for comm, all in self.each():
            self.assertEqual(comm.scan([comm.rank], MPI.SUM), list(range(comm.rank + 1)))
            self.assertEqual(comm.exscan([comm.rank], MPI.SUM), list(range(comm.rank)) or None)

    def test_barrier(self):
        for comm, all in self.each():
            comm.barrier()
