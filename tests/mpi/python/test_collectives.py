"""The collectives of equal blocks, blocking and not, on every type, in place and not."""

import unittest

import numpy
from job import COMMS, FORMS, SOME_TYPES, TYPES, WORLD, blocking, of_ranks, operators, reduced, same, untouched, values
from mpi4py import MPI

COUNTS = (0, 1, 5, 2000)
LARGE = 50_000  # of these, one type is enough


def cases():
    for call in FORMS:
        for name, comm in COMMS.items():
            for type in TYPES if call is blocking else SOME_TYPES:
                counts = COUNTS if call is blocking else COUNTS[1:-1]
                for count in (*counts, LARGE) if type == "f4" else counts:
                    yield call, comm, type, count, (call.__name__, name, type, count)


def operators_of(type, count):
    """All of them for some counts, and one for others."""
    return [*operators(type)] if count == 5 else [*operators(type)][:1]


def roots(comm):
    return {0, comm.size - 1}


class Reductions(unittest.TestCase):
    def test_allreduce(self):
        for call, comm, type, count, what in cases():
            for operator, op in operators_of(type, count):
                own, want, to = values(type, comm.rank, count), reduced(operator, of_ranks(comm, type, count)), untouched(type, count)
                call(comm, "Allreduce", own, to, op)
                same(to, want, operator, *what)
                same(own, values(type, comm.rank, count), "input", operator, *what)
                call(comm, "Allreduce", MPI.IN_PLACE, own, op)
                same(own, want, "in place", operator, *what)

    def test_reduce(self):
        for call, comm, type, count, what in cases():
            for operator, op in operators_of(type, count):
                for root in roots(comm):
                    own, to = values(type, comm.rank, count), untouched(type, count)
                    call(comm, "Reduce", own, to, op, root)
                    want = reduced(operator, of_ranks(comm, type, count)) if comm.rank == root else untouched(type, count)
                    same(to, want, operator, *what, root)
                    if comm.rank == root:
                        call(comm, "Reduce", MPI.IN_PLACE, own, op, root)
                        same(own, want, "in place", operator, *what, root)
                    else:
                        call(comm, "Reduce", own, None, op, root)
                        same(own, values(type, comm.rank, count), "input", operator, *what, root)

    def test_reduce_scatter_block(self):
        for call, comm, type, count, what in cases():
            for operator, op in operators_of(type, count):
                own, to = values(type, comm.rank, comm.size * count), untouched(type, count)
                want = reduced(operator, of_ranks(comm, type, comm.size * count)).reshape(comm.size, count)[comm.rank]
                call(comm, "Reduce_scatter_block", own, to, op)
                same(to, want, operator, *what)
                call(comm, "Reduce_scatter_block", MPI.IN_PLACE, own, op)
                same(own[:count], want, "in place", operator, *what)
                same(own[count:], values(type, comm.rank, comm.size * count)[count:], "behind it", operator, *what)


class Movements(unittest.TestCase):
    def test_bcast(self):
        for call, comm, type, count, what in cases():
            for root in roots(comm):
                buffer = values(type, root, count) if comm.rank == root else untouched(type, count)
                call(comm, "Bcast", buffer, root)
                same(buffer, values(type, root, count), *what, root)

    def test_allgather(self):
        for call, comm, type, count, what in cases():
            want, to = of_ranks(comm, type, count), untouched(type, comm.size, count)
            call(comm, "Allgather", values(type, comm.rank, count), to)
            same(to, want, *what)
            to = untouched(type, comm.size, count)
            to[comm.rank] = values(type, comm.rank, count)
            call(comm, "Allgather", MPI.IN_PLACE, to)
            same(to, want, "in place", *what)

    def test_alltoall(self):
        for call, comm, type, count, what in cases():
            own = numpy.array(of_ranks(comm, type, count, comm.rank))
            want = [values(type, comm.rank, count, rank) for rank in range(comm.size)]
            to = untouched(type, comm.size, count)
            call(comm, "Alltoall", own, to)
            same(to, want, *what)
            if call is blocking:  # Open MPI 4.1 does not do the others in place
                call(comm, "Alltoall", MPI.IN_PLACE, own)
                same(own, want, "in place", *what)

    def test_gather(self):
        for call, comm, type, count, what in cases():
            for root in roots(comm):
                own, want, to = values(type, comm.rank, count), of_ranks(comm, type, count), None
                if comm.rank == root:
                    to = untouched(type, comm.size, count)
                call(comm, "Gather", own, to, root)
                if comm.rank == root:
                    same(to, want, *what, root)
                    to = untouched(type, comm.size, count)
                    to[root], own = own, MPI.IN_PLACE
                call(comm, "Gather", own, to, root)
                if comm.rank == root:
                    same(to, want, "in place", *what, root)

    def test_scatter(self):
        for call, comm, type, count, what in cases():
            for root in roots(comm):
                own = numpy.array(of_ranks(comm, type, count, root)) if comm.rank == root else None
                for to in (untouched(type, count), MPI.IN_PLACE if comm.rank == root else untouched(type, count)):
                    call(comm, "Scatter", own, to, root)
                    if to is not MPI.IN_PLACE:
                        same(to, values(type, comm.rank, count, root), *what, root)
                    if comm.rank == root:
                        same(own, of_ranks(comm, type, count, root), "input", *what, root)


class Barrier(unittest.TestCase):
    def test_nobody_is_early(self):
        """Each rank counts, in memory that all see, how often it has come to the barrier."""
        window = MPI.Win.Allocate_shared(8 if WORLD.rank == 0 else 0, 8, comm=WORLD)
        came = numpy.frombuffer(window.Shared_query(0)[0], "u8").view("u1")
        comms = [COMMS[name] for name in ("world", "dup", "reversed")]
        for i in range(1, 250):
            came[WORLD.rank] = i
            window.Sync()
            FORMS[i % 3](comms[i // 3 % 3], "Barrier")
            window.Sync()
            self.assertGreaterEqual(came[: WORLD.size].min(), i)
        window.Free()
