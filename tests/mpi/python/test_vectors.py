"""Blocks of different sizes, and reductions in which the order of ranks shows."""

import itertools
import unittest

import numpy
from job import COMMS, FORMS, SOME_TYPES, TYPES, blocking, of_ranks, operators, reduced, same, untouched, values
from mpi4py import MPI


def count(rank):
    """How many elements a rank has: none, few or many."""
    return (3, 0, 700, 1)[rank % 4]


def layout(counts, gap):
    """Where blocks of these sizes lie that have gaps between them."""
    return [sum(counts[:i]) + gap * i for i in range(len(counts))]


def cases():
    for call in FORMS:
        for name, comm in COMMS.items():
            for type in TYPES if call is blocking else SOME_TYPES:
                for gap in (0, 2):
                    yield call, comm, type, gap, (call.__name__, name, type, gap)


def spread(type, blocks, gap):
    """One buffer that holds these blocks, with gaps between them; and counts, displacements."""
    counts = [len(block) for block in blocks]
    places = layout(counts, gap)
    buffer = untouched(type, sum(counts) + gap * len(counts))
    for place, block in zip(places, blocks):
        buffer[place : place + len(block)] = block
    return buffer, (counts, places)


def own_blocks(comm, type):
    return [values(type, rank, count(rank)) for rank in range(comm.size)]


class Movements(unittest.TestCase):
    def test_allgatherv(self):
        for call, comm, type, gap, what in cases():
            want, where = spread(type, own_blocks(comm, type), gap)
            to = untouched(type, len(want))
            own = values(type, comm.rank, count(comm.rank))
            call(comm, "Allgatherv", own, [to, where])
            same(to, want, *what)
            to = untouched(type, len(want))
            place = where[1][comm.rank]
            to[place : place + len(own)] = own
            call(comm, "Allgatherv", MPI.IN_PLACE, [to, where])
            same(to, want, "in place", *what)

    def test_gatherv(self):
        for call, comm, type, gap, what in cases():
            root = comm.size - 1
            want, where = spread(type, own_blocks(comm, type), gap)
            to = untouched(type, len(want))
            call(comm, "Gatherv", values(type, comm.rank, count(comm.rank)), [to, where] if comm.rank == root else None, root)
            same(to, want if comm.rank == root else untouched(type, len(want)), *what)

    def test_scatterv(self):
        for call, comm, type, gap, what in cases():
            root = comm.size - 1
            own, where = spread(type, own_blocks(comm, type), gap)
            to = untouched(type, count(comm.rank))
            call(comm, "Scatterv", [own, where] if comm.rank == root else None, to, root)
            same(to, values(type, comm.rank, count(comm.rank)), *what)

    def test_alltoallv(self):
        for call, comm, type, gap, what in cases():
            # A block's size and contents say who sends and who receives it.
            own, from_ = spread(type, [values(type, comm.rank, count(comm.rank + 2 * r), r) for r in range(comm.size)], gap)
            want, where = spread(type, [values(type, r, count(r + 2 * comm.rank), comm.rank) for r in range(comm.size)], gap)
            to = untouched(type, len(want))
            call(comm, "Alltoallv", [own, from_], [to, where])
            same(to, want, *what)

    def test_alltoallw(self):
        """To even ranks go pairs of single floats, to odd ranks doubles."""
        pair = MPI.FLOAT.Create_contiguous(2).Commit()

        def kind(rank):
            return (pair, "f4") if rank % 2 == 0 else (MPI.DOUBLE, "f8")

        for call in FORMS:
            for name, comm in COMMS.items():
                own = numpy.concatenate([values(kind(r)[1], comm.rank + r, 6 if r % 2 == 0 else 3).view("u1") for r in range(comm.size)])
                mine, type = kind(comm.rank)
                want = [values(type, comm.rank + r, 24 // numpy.dtype(type).itemsize) for r in range(comm.size)]
                to = untouched(type, *numpy.shape(want))
                counts, places = [3] * comm.size, [24 * r for r in range(comm.size)]
                call(
                    comm,
                    "Alltoallw",
                    [own, (counts, places), [kind(r)[0] for r in range(comm.size)]],
                    [to, (counts, places), [mine] * comm.size],
                )
                same(to, want, call.__name__, name)
        pair.Free()


class Reductions(unittest.TestCase):
    def test_reduce_scatter(self):
        for call, comm, type, _, what in cases():
            counts = [count(rank) for rank in range(comm.size)]
            first, last = sum(counts[: comm.rank]), sum(counts[: comm.rank + 1])
            for operator, op in operators(type):
                own, to = values(type, comm.rank, sum(counts)), untouched(type, last - first)
                want = reduced(operator, of_ranks(comm, type, sum(counts)))[first:last]
                call(comm, "Reduce_scatter", own, to, counts, op)
                same(to, want, operator, *what)
                call(comm, "Reduce_scatter", MPI.IN_PLACE, own, counts, op)
                same(own[: last - first], want, "in place", operator, *what)

    def test_scan(self):
        for call, comm, type, _, what in cases():
            for (operator, op), size in itertools.product(operators(type), (1, 300)):
                own, to = values(type, comm.rank, size), untouched(type, size)
                want = reduced(operator, of_ranks(comm, type, size)[: comm.rank + 1])
                call(comm, "Scan", own, to, op)
                same(to, want, operator, *what, size)
                call(comm, "Scan", MPI.IN_PLACE, own, op)
                same(own, want, "in place", operator, *what, size)

    def test_exscan(self):
        for call, comm, type, _, what in cases():
            for (operator, op), size in itertools.product(operators(type), (1, 300)):
                own, to = values(type, comm.rank, size), untouched(type, size)
                call(comm, "Exscan", own, to, op)
                if comm.rank != 0:  # else it is undefined
                    same(to, reduced(operator, of_ranks(comm, type, size)[: comm.rank]), operator, *what, size)
