"""Every collective, on every kind of buffer and every type, against one element after the other in Python.

Run by all ranks of a job at once.
"""

import functools
import math
import operator
import unittest

import hcomm
from buffers import FLOATS, INTEGERS, KINDS, values, wrap

ANY = {"sum": operator.add, "prod": operator.mul, "max": max, "min": min}
OF_INTEGERS = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "logical_and": lambda x, y: int(bool(x) and bool(y)),
    "logical_or": lambda x, y: int(bool(x) or bool(y)),
    "logical_xor": lambda x, y: int(bool(x) != bool(y)),
}
COUNTS = (0, 1, 5)
LARGE = 1500  # of these, some types are enough


def reduced(type, op, columns):
    """What op makes of each column, which has an element of each rank."""
    if op == "avg":
        sums = reduced(type, "sum", columns)
        return [x / comm.size if type in FLOATS else int(math.copysign(1, x)) * (abs(x) // comm.size) for x in sums]
    function = {**ANY, **OF_INTEGERS}[op]
    return [wrap(type, functools.reduce(lambda x, y: wrap(type, function(x, y)), c)) for c in columns]


def operators(type):
    yield from ANY
    if type in INTEGERS:
        yield from OF_INTEGERS
    if comm.size != 3 or type in INTEGERS:  # a third is not exact
        yield "avg"


def of_all(type, count, first=0):
    """Columns of the elements first, first+1, ... of all ranks."""
    return list(zip(*(values(type, r, count, first) for r in range(comm.size))))


def setUpModule():
    global comm
    comm = hcomm.Communicator.from_env()


def tearDownModule():
    comm.close()


class Collectives(unittest.TestCase):
    def cases(self):
        for self.kind in KINDS:
            for self.type in self.kind.types:
                for self.count in (*COUNTS, *([LARGE] if self.type in ("float32", "uint8") else ())):
                    yield self.type, self.count

    def own(self, blocks, count):
        """This rank's input, of so many blocks."""
        return self.kind.make(self.type, values(self.type, comm.rank, blocks * count))

    def zeros(self, count):
        return self.kind.make(self.type, [0] * count)

    def holds(self, x, want, op=""):
        case = f"{self.kind.name}, {self.count} of {self.type} {op}, {comm!r}"
        self.assertEqual(self.kind.values(x), list(want), case)

    def test_all_reduce(self):
        for type, count in self.cases():
            for op in operators(type):
                src, dst, want = self.own(1, count), self.zeros(count), reduced(type, op, of_all(type, count))
                comm.all_reduce(src, dst, op)
                self.holds(dst, want, op)
                self.holds(src, values(type, comm.rank, count), op)
                self.assertIsNone(comm.all_reduce(src, op=op))
                self.holds(src, want, op)

    def test_broadcast(self):
        for type, count in self.cases():
            for root in range(comm.size):
                src, dst = self.own(1, count), self.zeros(count)
                comm.broadcast(src if comm.rank == root else None, dst, root)
                self.holds(dst, values(type, root, count))
                self.holds(src, values(type, comm.rank, count))
                comm.broadcast(src, root=root)
                self.holds(src, values(type, root, count))

    def test_reduce(self):
        for type, count in self.cases():
            for root in range(comm.size):
                src, dst = self.own(1, count), self.zeros(count)
                want = reduced(type, "max", of_all(type, count))
                comm.reduce(src, dst if comm.rank == root else None, "max", root)
                self.holds(dst, want if comm.rank == root else [0] * count)
                comm.reduce(src, op="max", root=root)
                self.holds(src, want if comm.rank == root else values(type, comm.rank, count))

    def test_all_gather(self):
        for type, count in self.cases():
            want = [x for r in range(comm.size) for x in values(type, r, count)]
            dst = self.zeros(comm.size * count)
            comm.all_gather(self.own(1, count), dst)
            self.holds(dst, want)
            before, after = [0] * (comm.rank * count), [0] * ((comm.size - comm.rank - 1) * count)
            dst = self.kind.make(type, before + values(type, comm.rank, count) + after)
            comm.all_gather(None, dst)
            self.holds(dst, want)

    def test_reduce_scatter(self):
        for type, count in self.cases():
            first = comm.rank * count
            want = reduced(type, "min", of_all(type, count, first))
            src, dst = self.own(comm.size, count), self.zeros(count)
            comm.reduce_scatter(src, dst, "min")
            self.holds(dst, want)
            comm.reduce_scatter(src, op="min")
            whole = values(type, comm.rank, comm.size * count)
            whole[first : first + count] = want
            self.holds(src, whole)

    def test_all_to_all(self):
        for type, count in self.cases():
            want = [x for r in range(comm.size) for x in values(type, r, count, comm.rank * count)]
            src, dst = self.own(comm.size, count), self.zeros(comm.size * count)
            comm.all_to_all(src, dst)
            self.holds(dst, want)
            comm.all_to_all(src)
            self.holds(src, want)

    def test_gather(self):
        for type, count in self.cases():
            for root in range(comm.size):
                own, dst = self.own(1, count), self.zeros(comm.size * count)
                want = [x for r in range(comm.size) for x in values(type, r, count)]
                comm.gather(own, dst if comm.rank == root else None, root)
                if comm.rank == root:
                    self.holds(dst, want)
                    before, after = [0] * (root * count), [0] * ((comm.size - root - 1) * count)
                    dst = self.kind.make(type, before + values(type, root, count) + after)
                    comm.gather(None, dst, root)
                    self.holds(dst, want)
                else:
                    comm.gather(own, root=root)

    def test_scatter(self):
        for type, count in self.cases():
            for root in range(comm.size):
                src, dst = self.own(comm.size, count), self.zeros(count)
                want = values(type, root, count, comm.rank * count)
                comm.scatter(src if comm.rank == root else None, dst, root)
                self.holds(dst, want)
                dst = self.zeros(count)
                comm.scatter(src if comm.rank == root else None, None if comm.rank == root else dst, root)
                if comm.rank == root:
                    self.holds(src, values(type, root, comm.size * count))
                else:
                    self.holds(dst, want)

    def test_send_recv(self):
        """Once around: what comes back to rank 0 is what it has sent, and each rank has seen it."""
        after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
        for type, count in self.cases():
            dst = self.zeros(count)
            if comm.rank == 0:
                comm.send(self.own(1, count), after)
                comm.recv(dst, before)
            else:
                comm.recv(dst, before)
                comm.send(dst, after)
            self.holds(dst, values(type, 0, count))

    def test_barrier(self):
        for _ in range(100):
            self.assertIsNone(comm.barrier())

    def test_bytes_as_src(self):
        """What is read-only can be sent."""
        dst = bytearray(3)
        comm.all_reduce(b"\1\2\3", dst, "max")
        self.assertEqual(dst, b"\1\2\3")


if __name__ == "__main__":
    unittest.main(failfast=True)
