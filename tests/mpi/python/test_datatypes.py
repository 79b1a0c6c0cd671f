"""Derived datatypes, which may differ from rank to rank, and operators of the program's own."""

import unittest

import numpy
from job import COMMS, FORMS, of_ranks, same, untouched, values
from mpi4py import MPI

ROWS, COLUMNS = 40, 3


class Derived(unittest.TestCase):
    def setUp(self):
        column = MPI.INT.Create_vector(ROWS, 1, COLUMNS)
        self.column = column.Create_resized(0, 4).Commit()  # the next one begins one element on
        self.struct = MPI.Datatype.Create_struct([1, 2], [0, 8], [MPI.CHAR, MPI.DOUBLE]).Commit()
        column.Free()

    def tearDown(self):
        self.column.Free()
        self.struct.Free()

    def cases(self):
        for call in FORMS:
            for name, comm in COMMS.items():
                yield call, comm, (call.__name__, name)

    def test_bcast_of_columns(self):
        """Some ranks have the column as one, others as a row."""
        for call, comm, what in self.cases():
            matrix = untouched("i4", ROWS, COLUMNS)
            row = untouched("i4", ROWS)
            if comm.rank == 0:
                matrix[:, 1] = values("i4", 0, ROWS)
            if comm.rank % 2 == 0:
                call(comm, "Bcast", [matrix.reshape(-1)[1:], 1, self.column])
                same(matrix[:, 1], values("i4", 0, ROWS), *what)
                same(matrix[:, [0, 2]], 77, "beside it", *what)
            else:
                call(comm, "Bcast", row)
                same(row, values("i4", 0, ROWS), *what)

    def test_allgather_of_columns(self):
        for call, comm, what in self.cases():
            matrix = untouched("i4", ROWS, comm.size + 1)
            column = MPI.INT.Create_vector(ROWS, 1, comm.size + 1).Create_resized(0, 4).Commit()
            call(comm, "Allgather", values("i4", comm.rank, ROWS), [matrix, 1, column])
            same(matrix[:, :-1].T, of_ranks(comm, "i4", ROWS), *what)
            same(matrix[:, -1], 77, "beside it", *what)
            column.Free()

    def test_gather_and_scatter_of_columns(self):
        for call, comm, what in self.cases():
            column = MPI.INT.Create_vector(ROWS, 1, comm.size).Create_resized(0, 4).Commit()
            matrix = untouched("i4", ROWS, comm.size)
            call(comm, "Gather", values("i4", comm.rank, ROWS), [matrix, 1, column] if comm.rank == 0 else None)
            if comm.rank == 0:
                same(matrix.T, of_ranks(comm, "i4", ROWS), *what)
            to = untouched("i4", ROWS)
            call(comm, "Scatter", [matrix, 1, column] if comm.rank == 0 else None, to)
            same(to, values("i4", comm.rank, ROWS), *what)
            column.Free()

    def test_alltoall_of_columns(self):
        """A matrix is transposed: columns are sent, rows received."""
        for call, comm, what in self.cases():
            column = MPI.INT.Create_vector(ROWS, 1, comm.size).Create_resized(0, 4).Commit()
            own, to = numpy.array(of_ranks(comm, "i4", ROWS, comm.rank)).T.copy(), untouched("i4", comm.size, ROWS)
            call(comm, "Alltoall", [own, 1, column], [to, ROWS, MPI.INT])
            same(to, [values("i4", comm.rank, ROWS, rank) for rank in range(comm.size)], *what)
            column.Free()

    def test_structures(self):
        """Of a structure with a hole in it, the hole is nobody's."""
        for call, comm, what in self.cases():
            struct = numpy.dtype({"names": ["c", "d"], "formats": ["S1", "2f8"], "offsets": [0, 8], "itemsize": 24})
            own = numpy.frombuffer(bytearray(b"\x77" * 48), struct)
            own["c"], own["d"] = b"a", comm.rank + 0.5
            to = numpy.frombuffer(bytearray(b"\x55" * 48 * comm.size), struct)
            call(comm, "Allgather", [own, 2, self.struct], [to, 2, self.struct])
            same(to["c"], b"a", *what)
            same(to["d"][:, 0], numpy.repeat(numpy.arange(comm.size), 2) + 0.5, *what)
            same(to.view("u1").reshape(-1, 24)[:, 1:8], 0x55, "the hole", *what)

    def test_no_elements(self):
        for call, comm, _ in self.cases():
            empty = MPI.INT.Create_contiguous(0).Commit()
            call(comm, "Bcast", [bytearray(8), 5, empty])
            call(comm, "Allgather", [None, 0, self.column], [None, 0, self.column])
            empty.Free()


class Operators(unittest.TestCase):
    def test_own_operator(self):
        """Polynomials of the first degree, composed: the order of ranks shows."""

        def compose(first, second, _):
            x, y = numpy.frombuffer(first, "i8").reshape(-1, 2), numpy.frombuffer(second, "i8").reshape(-1, 2)
            y[:] = numpy.stack((x[:, 0] * y[:, 0], x[:, 0] * y[:, 1] + x[:, 1]), axis=1)

        op, pair = MPI.Op.Create(compose, commute=False), MPI.INT64_T.Create_contiguous(2).Commit()
        for name, comm in COMMS.items():
            for count in (1, 3000):
                a, b = 1, 0
                for rank in range(comm.size):
                    a, b = a * (rank + 2), a * (rank + 5) + b
                own = numpy.tile(numpy.array([comm.rank + 2, comm.rank + 5]), (count, 1))
                for call in FORMS:
                    to = untouched("i8", count, 2)
                    call(comm, "Allreduce", [own, pair], [to, pair], op)
                    same(to, numpy.tile([a, b], (count, 1)), name, count)
                    to = untouched("i8", count, 2)
                    call(comm, "Reduce", [own, pair], [to, pair], op, 0)
                    same(to, numpy.tile([a, b], (count, 1)) if comm.rank == 0 else 77, name, count)
        op.Free()
        pair.Free()

    def test_where_the_least_is(self):
        for kind, type in (("f8", MPI.DOUBLE_INT), ("f4", MPI.FLOAT_INT), ("i4", MPI.INT_INT)):
            pairs = numpy.dtype([("value", kind), ("where", "i4")], align=True)
            for name, comm in COMMS.items():
                own, to = numpy.zeros(300, pairs), numpy.zeros(300, pairs)
                own["value"], own["where"] = values(kind, comm.rank, 300), comm.rank
                everything = numpy.array(of_ranks(comm, kind, 300))
                for op, least, place in ((MPI.MINLOC, numpy.min, numpy.argmin), (MPI.MAXLOC, numpy.max, numpy.argmax)):
                    comm.Allreduce([own, 300, type], [to, 300, type], op)
                    same(to["value"], least(everything, axis=0), name, kind)
                    same(to["where"], place(everything, axis=0), name, kind)
