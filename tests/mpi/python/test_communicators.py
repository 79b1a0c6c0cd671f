"""Communicators that come and go, and those of two groups."""

import unittest

import numpy
from job import FORMS, WORLD, of_ranks, reduced, same, untouched, values
from mpi4py import MPI


def use(comm, *what):
    """Some collectives of which each would show that the ranks of comm are confused."""
    for call in FORMS[:2]:
        to = untouched("i4", comm.size, 2)
        call(comm, "Allgather", values("i4", comm.rank, 2), to)
        same(to, of_ranks(comm, "i4", 2), *what)
        to = untouched("f8", 3)
        call(comm, "Allreduce", values("f8", comm.rank, 3), to)
        same(to, reduced("SUM", of_ranks(comm, "f8", 3)), *what)
        to = values("i4", comm.rank, 5)
        call(comm, "Bcast", to, comm.size - 1)
        same(to, values("i4", comm.size - 1, 5), *what)


class Within(unittest.TestCase):
    def test_made_and_freed(self):
        for i in range(30):
            comm = WORLD.Dup()
            use(comm, "dup", i)
            comm.Free()
            comm = WORLD.Split(WORLD.rank % 2, -WORLD.rank)
            use(comm, "split", i)
            comm.Free()

    def test_many_at_once(self):
        comms = [WORLD.Split((WORLD.rank + i) % 2, WORLD.rank * (-1) ** i) for i in range(30)]
        for i, comm in enumerate(comms):
            use(comm, i)
        for comm in comms[::2] + comms[1::2]:
            comm.Free()

    def test_of_one_another(self):
        comm = WORLD
        for i in range(20):
            comm = comm.Dup() if i % 2 else comm.Split(0, -comm.rank)
            use(comm, i)

    def test_without_some(self):
        """Not everybody is in each communicator."""
        for i in range(WORLD.size):
            comm = WORLD.Split(0 if WORLD.rank != i else MPI.UNDEFINED)
            if WORLD.rank != i:
                use(comm, i)
                comm.Free()
            group = WORLD.group.Excl([i])
            if WORLD.rank != i:
                comm = WORLD.Create_group(group)
                use(comm, i)
                comm.Free()
            group.Free()

    def test_idup(self):
        comm, request = WORLD.Idup()
        request.Wait()
        use(comm)
        comm.Free()

    def test_of_one_host(self):
        comm = WORLD.Split_type(MPI.COMM_TYPE_SHARED)
        use(comm)
        comm.Free()

    def test_grid(self):
        grid = WORLD.Create_cart(MPI.Compute_dims(WORLD.size, 2), periods=[True, False])
        use(grid, "grid")
        for keep in ([True, False], [False, True]):
            line = grid.Sub(keep)
            use(line, keep)
            line.Free()
        to = untouched("i4", 4)  # above, below, left, right
        grid.Neighbor_allgather(values("i4", grid.rank, 1), to)
        neighbours = [*grid.Shift(0, 1), *grid.Shift(1, 1)]
        same(to, [77 if rank == MPI.PROC_NULL else values("i4", rank, 1)[0] for rank in neighbours])
        grid.Free()

    def test_attributes_come_along(self):
        key = MPI.Comm.Create_keyval(copy_fn=lambda comm, key, value: value + 1, nopython=False)
        comm = WORLD.Dup()
        comm.Set_attr(key, 1)
        use(comm)
        other = comm.Dup()
        self.assertEqual(other.Get_attr(key), 2)
        use(other)
        other.Free()
        comm.Free()
        MPI.Comm.Free_keyval(key)


@unittest.skipIf(WORLD.size == 1, "two groups have two ranks")
class Between(unittest.TestCase):
    """Even ranks on the one side, odd ones on the other."""

    def setUp(self):
        self.side = WORLD.rank % 2
        self.local = WORLD.Split(self.side, WORLD.rank)
        self.comm = self.local.Create_intercomm(0, WORLD, 1 - self.side)
        self.theirs = list(range(1 - self.side, WORLD.size, 2))

    def tearDown(self):
        self.comm.Free()
        self.local.Free()

    def of_theirs(self, type, count, salt=0):
        return [values(type, rank, count, salt) for rank in self.theirs]

    def test_allreduce(self):
        for call in FORMS:
            to = untouched("f4", 5)
            call(self.comm, "Allreduce", values("f4", WORLD.rank, 5), to)
            same(to, reduced("SUM", self.of_theirs("f4", 5)), call.__name__)

    def test_allgather(self):
        for call in FORMS:
            to = untouched("i4", len(self.theirs), 2)
            call(self.comm, "Allgather", values("i4", WORLD.rank, 2), to)
            same(to, self.of_theirs("i4", 2), call.__name__)

    def test_alltoall(self):
        for call in FORMS:
            own = numpy.array([values("i4", WORLD.rank, 2, rank) for rank in self.theirs])
            to = untouched("i4", len(self.theirs), 2)
            call(self.comm, "Alltoall", own, to)
            same(to, self.of_theirs("i4", 2, WORLD.rank), call.__name__)

    def test_bcast(self):
        """Not as a request: Open MPI 4.1 hangs where a group has two ranks."""
        for side in (0, 1):
            root = 0
            if self.side == side:
                root = MPI.ROOT if self.local.rank == 0 else MPI.PROC_NULL
            buffer = values("i4", side, 4) if root == MPI.ROOT else untouched("i4", 4)
            self.comm.Bcast(buffer, root)
            same(buffer, 77 if root == MPI.PROC_NULL else values("i4", side, 4), side)

    def test_objects(self):
        self.assertEqual(self.comm.allgather(WORLD.rank), self.theirs)
        self.assertEqual(self.comm.allreduce([WORLD.rank]), self.theirs)
        self.comm.barrier()

    def test_merged(self):
        merged = self.comm.Merge(high=self.side == 1)
        use(merged)
        merged.Free()
