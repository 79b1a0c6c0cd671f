"""Requests of collectives among each other and among messages."""

import unittest

import numpy
from job import COMMS, WORLD, of_ranks, reduced, same, untouched, values
from mpi4py import MPI

NEXT, BEFORE = (WORLD.rank + 1) % WORLD.size, (WORLD.rank - 1) % WORLD.size


def many(count):
    """Collectives of all kinds under way at once: requests, and for each what it reads, where to, and what that shall hold."""
    for name in ("world", "dup", "reversed"):
        comm = COMMS[name]
        own = values("f4", comm.rank, count)
        each = of_ranks(comm, "f4", count)
        to = untouched("f4", count)
        yield comm.Iallreduce(own, to), own, to, reduced("SUM", each)
        to = untouched("f4", comm.size, count)
        yield comm.Iallgather(own, to), own, to, each
        to = values("f4", comm.rank, count)
        yield comm.Ibcast(to), None, to, each[0]
        to = untouched("f4", comm.size, count)
        own = numpy.array(of_ranks(comm, "f4", count, comm.rank))
        yield comm.Ialltoall(own, to), own, to, [values("f4", comm.rank, count, rank) for rank in range(comm.size)]
        to = untouched("f4", count)
        yield WORLD.Irecv(to, BEFORE), None, to, values("f4", BEFORE, count)
        own = values("f4", WORLD.rank, count)
        yield WORLD.Isend(own, NEXT), own, None, None
        yield comm.Ibarrier(), None, None, None


def waitall(requests):
    MPI.Request.Waitall(requests)


def waitall_reversed(requests):
    MPI.Request.Waitall(requests[::-1])


def wait_each(requests):
    for request in requests:
        request.Wait()


def waitany(requests):
    left = list(requests)
    while MPI.Request.Waitany(left) != MPI.UNDEFINED:
        pass


def waitsome(requests):
    left = list(requests)
    while MPI.Request.Waitsome(left) is not None:
        pass


def testall(requests):
    while not MPI.Request.Testall(requests):
        pass


def testany(requests):
    left = list(requests)
    while MPI.Request.Testany(left) != (MPI.UNDEFINED, True):
        pass


def testsome(requests):
    left = list(requests)
    while MPI.Request.Testsome(left) is not None:
        pass


class Requests(unittest.TestCase):
    def test_each_way_to_wait(self):
        for wait in (waitall, waitall_reversed, wait_each, waitany, waitsome, testall, testany, testsome):
            for count in (1, 3000):
                requests, _inputs, have, want = zip(*many(count))  # mpi4py 3.1 does not keep those of reductions
                wait(list(requests))
                for i, to in enumerate(have):
                    if to is not None:
                        same(to, want[i], wait.__name__, count, i)

    def test_request_is_gone_after_wait(self):
        own, to = values("i4", WORLD.rank, 4), untouched("i4", 4)
        request = WORLD.Iallreduce(own, to)
        status = MPI.Status()
        request.Wait(status)
        self.assertEqual(request, MPI.REQUEST_NULL)
        self.assertFalse(status.Is_cancelled())

    def test_large_message_before_a_collective(self):
        """A rank that waits in a collective lets its messages go on: the receiver comes to the collective after them."""
        own, sum = values("u1", WORLD.rank, 1 << 20), untouched("i4", 2)
        for _ in range(5):
            request = WORLD.Isend(own, NEXT)
            if WORLD.rank % 2 == 0:
                WORLD.Allreduce(values("i4", WORLD.rank, 2), sum)
            to = untouched("u1", 1 << 20)
            WORLD.Recv(to, BEFORE)
            if WORLD.rank % 2 == 1:
                WORLD.Allreduce(values("i4", WORLD.rank, 2), sum)
            request.Wait()
            same(to, values("u1", BEFORE, 1 << 20))
            same(sum, reduced("SUM", of_ranks(WORLD, "i4", 2)))

    def test_large_collective_before_a_message(self):
        """A rank that waits for a message lets its collective go on: the sender waits for that first."""
        own, sum = values("f4", WORLD.rank, 1 << 19), untouched("f4", 1 << 19)
        for _ in range(5):
            request = WORLD.Iallreduce(own, sum)
            to = untouched("i4", 1)
            if WORLD.rank == 0:
                WORLD.Sendrecv(values("i4", 0, 1), NEXT, 0, to, BEFORE)
                request.Wait()
            else:
                request.Wait()
                WORLD.Sendrecv(values("i4", WORLD.rank, 1), NEXT, 0, to, BEFORE)
            same(sum, reduced("SUM", of_ranks(WORLD, "f4", 1 << 19)))
            same(to, values("i4", BEFORE, 1))
