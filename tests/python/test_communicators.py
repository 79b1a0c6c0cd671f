"""What communicators can be made into, and how they are made, ended and found out about.

Run by all ranks of a job at once.
"""

import array
import copy
import functools
import gc
import json
import operator
import os
import random
import subprocess
import unittest

import hcomm
from buffers import numpy, torch


def setUpModule():
    global comm
    comm = hcomm.Communicator.from_env()


def tearDownModule():
    comm.close()


def of_all(comm, number):
    """What the ranks have, by rank."""
    numbers = array.array("i", [0] * comm.size)
    comm.all_gather(array.array("i", [number]), numbers)
    return list(numbers)


def strings(tree):
    """Those in what json has read."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (dict, list)):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from strings(part)


def together():
    """A communicator that a test may spoil."""
    return comm.dup()


class Making(unittest.TestCase):
    def test_split(self):
        """Even ranks and odd ones, in reverse."""
        with comm.split(comm.rank % 2, -comm.rank) as half:
            want = [r for r in reversed(range(comm.size)) if r % 2 == comm.rank % 2]
            self.assertEqual(of_all(half, comm.rank), want)
            self.assertEqual((half.size, half.rank), (len(want), want.index(comm.rank)))
        self.assertEqual(of_all(comm, comm.rank), list(range(comm.size)))

    def test_order(self):
        """Without keys it is that of the ranks."""
        with comm.split(7) as same:
            self.assertEqual(of_all(same, comm.rank), list(range(comm.size)))

    def test_no_color(self):
        made = comm.split(0 if comm.rank else None)
        if comm.rank == 0:
            self.assertIsNone(made)
        else:
            with made:
                self.assertEqual(of_all(made, comm.rank), list(range(1, comm.size)))

    def test_dup(self):
        """It outlives what it was made of, and messages in one do not come in the other."""
        with comm.dup() as first:
            second = first.dup()
            peer, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
            first.send(b"1", peer)
            second.send(b"2", peer)
            for made, sent in (second, b"2"), (first, b"1"):
                got = bytearray(1)
                made.recv(got, before)
                self.assertEqual(got, sent)
            first.finalize()
        with second:
            self.assertEqual(of_all(second, comm.rank), list(range(comm.size)))

    def test_deterministic(self):
        """In the order of ranks, with a reduce that has another one otherwise."""
        generators = [random.Random(rank) for rank in range(comm.size)]
        operands = [[generator.random() for _ in range(50000)] for generator in generators]
        with comm.split(0, deterministic=True) as made:
            x = array.array("d", operands[comm.rank])
            made.reduce(x)
        if comm.rank == 0:
            want = functools.reduce(lambda sums, numbers: list(map(operator.add, sums, numbers)), operands)
            self.assertTrue(list(x) == want)

    def test_name(self):
        """hcomm status has them."""
        names = [f"{call} of {os.getpid()}, é" for call in ("from_id", "split", "shrink")]
        with hcomm.Communicator.from_id(1, hcomm.unique_id(), 0, name=names[0]) as first:
            with first.split(0, name=names[1]) as second, second.shrink(name=names[2]) as third:
                self.assertEqual([made.error for made in (first, second, third)], [None] * 3)
                said = json.loads(subprocess.check_output(["hcomm", "status", "--json"]))
        self.assertLessEqual(set(names), set(strings(said)))

    def test_timeout(self):
        """A rank waits for a message that is not sent; all are told that it is late, and that one had only so long."""
        if comm.size == 1:
            return
        with comm.split(0, timeout=0.2) as made:
            if comm.rank == 0:
                with self.assertRaises(hcomm.Error) as caught:
                    made.recv(bytearray(1), 1)
                self.assertEqual(caught.exception.name, "hcommTimeout")
            comm.barrier()
            self.assertEqual(made.error.name, "hcommTimeout")
            self.assertIn(": rank 1 ", str(made.error))
            self.assertEqual(made.failed_ranks(), [1])
            comm.barrier()  # who has left would be among them


class Ending(unittest.TestCase):
    def test_finalize(self):
        with together() as made:
            made.finalize()
            with self.assertRaisesRegex(hcomm.Error, "was finalized") as caught:
                made.barrier()
            self.assertEqual(caught.exception.name, "hcommInvalidUsage")

    def test_revoke(self):
        """One rank revokes, all are told, and they shrink to the same."""
        with together() as made:
            last = made.size - 1
            if made.rank == last:
                made.revoke()
            with self.assertRaisesRegex(hcomm.Error, f"rank {last} .*revoked") as caught:
                made.barrier()
            self.assertEqual(caught.exception.name, "hcommRemoteError")
            self.assertIsInstance(made.error, hcomm.Error)
            self.assertEqual(made.error.name, "hcommRemoteError")
            self.assertRegex(str(made.error), f"rank {last} .*revoked")
            self.assertEqual(made.failed_ranks(), [])
            with made.shrink() as again:
                self.assertEqual(of_all(again, made.rank), list(range(made.size)))

    def test_closed(self):
        made = together()
        self.assertIsNone(made.error)
        made.close()
        self.assertIsInstance(made.error, hcomm.Error)
        self.assertEqual(str(made.error), "error: this communicator is closed")
        for call in made.dup, made.failed_ranks, made.revoke, made.finalize, lambda: made.split(0):
            with self.assertRaisesRegex(hcomm.Error, ": this communicator is closed"):
                call()
        for call in lambda: made.register(bytearray(1)), lambda: made.shrink([]):
            with self.assertRaisesRegex(hcomm.Error, ": this communicator is closed"):
                call()


class Shrinking(unittest.TestCase):
    def test_exclude(self):
        """Without the last rank, which does not call; ranks are counted by numpy's numbers, too."""
        with together() as made:
            last = made.size - 1
            if 0 < made.rank == last:
                made.barrier()
                return
            with made.shrink({last} if last else ()) as smaller:
                self.assertEqual(of_all(smaller, made.rank), list(range(max(last, 1))))
            if last:
                made.barrier()

    def test_left(self):
        """A rank that has left is one of those that have failed."""
        made = together()
        last = made.size - 1
        if 0 < made.rank == last:
            made.close()
            return
        with made:
            if last:
                with self.assertRaisesRegex(hcomm.Error, f"rank {last} .*left"):
                    made.barrier()
                self.assertEqual(made.failed_ranks(), [last])
            with made.shrink() as smaller:
                self.assertEqual(of_all(smaller, made.rank), list(range(max(last, 1))))

    def test_left_meanwhile(self):
        """One more rank has left than the first list has."""
        made, last = together(), comm.size - 1
        if last < 2 or made.rank in (1, last):
            made.close()
            return
        with made:
            while made.failed_ranks() != [1, last]:
                os.sched_yield()
            lists, ask = [[last]], made.failed_ranks
            made.failed_ranks = lambda: lists.pop() if lists else ask()
            with made.shrink() as smaller:
                self.assertEqual(of_all(smaller, made.rank), [0, 2][: last - 1])


class Refusals(unittest.TestCase):
    def refuses(self, kind, text, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            getattr(comm, call)(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        self.assertEqual(of_all(comm, comm.rank), list(range(comm.size)))

    def test_split(self):
        self.refuses(ValueError, "split: color is -1, and must be 0 or more, or None", "split", -1)
        self.refuses(ValueError, "split: color is 2147483648, and must be less than", "split", 2**31)
        self.refuses(TypeError, "split: color is 'a', and must be a whole number", "split", "a")
        self.refuses(TypeError, "split: key is 0.5, and must be a whole number", "split", 0, 0.5)

    def test_shrink(self):
        self.refuses(TypeError, "shrink: exclude is 1, and must be a list of ranks", "shrink", 1)
        size = comm.size
        self.refuses(ValueError, f"shrink: exclude is {size}, and must be 0 to {size - 1}", "shrink", [size])
        rule = f"has rank {comm.rank}, which is this one" if size > 1 else "excludeRanksCount is 1"
        self.refuses(hcomm.Error, rule, "shrink", [comm.rank])

    def test_config(self):
        for call, arguments in ("split", (0,)), ("shrink", ()):
            for timeout in -1, 2147484, float("nan"), float("inf"):
                rule = f"{call}: timeout is {timeout!r}, and must be 0, which is never, to 2147483 seconds"
                self.refuses(ValueError, rule, call, *arguments, timeout=timeout)
            rule = f"{call}: timeout is '1', and must be a number of seconds"
            self.refuses(TypeError, rule, call, *arguments, timeout="1")
            rule = f"{call}: deterministic is 2, and must be True or False"
            self.refuses(ValueError, rule, call, *arguments, deterministic=2)
            for name in "a\nb", "a\0b", "é" * 64:
                rule = f"{call}: name is {name!r}, and must have up to 127 bytes, and no control characters"
                self.refuses(ValueError, rule, call, *arguments, name=name)
            self.refuses(TypeError, f"{call}: name is b'a', and must be a str", call, *arguments, name=b"a")
        with self.assertRaisesRegex(ValueError, "from_id: deterministic is 'no', and must be"):
            hcomm.Communicator.from_id(1, hcomm.unique_id(), 0, deterministic="no")

    def test_register(self):
        self.refuses(ValueError, "register: array is read-only", "register", b"1234")
        self.refuses(TypeError, "register: array is None, and must be", "register", None)
        x = bytearray(1 << 20)
        with comm.register(x):
            self.refuses(hcomm.Error, "overlap", "register", memoryview(x)[1 << 19 :])


class Registering(unittest.TestCase):
    def arrays(self):
        yield array.array("f", [comm.rank + 1] * (1 << 18))
        if numpy:
            yield numpy.full(1 << 18, comm.rank + 1, "float32")
        if torch:
            yield torch.full((1 << 18,), comm.rank + 1.0)

    def test_results(self):
        want = comm.size * (comm.size + 1) / 2
        for x in self.arrays():
            with comm.register(x) as registration:
                self.assertRegex(repr(registration), "^<hcomm.Registration, 1048576 bytes>$")
                comm.all_reduce(x)
                self.assertEqual({float(x[0]), float(x[-1])}, {want})
                comm.barrier()
            self.assertEqual(repr(registration), "<hcomm.Registration, closed>")
            registration.close()
            self.assertEqual({float(x[0]), float(x[-1])}, {want})

    def test_shared(self):
        """The pages are a file's while it is registered, and only then."""
        x = bytearray(1 << 20)
        address = self.address(x)
        self.assertNotIn("hcomm", self.mapping(address))
        with comm.register(x):
            self.assertIn("hcomm", self.mapping(address))
        self.assertNotIn("hcomm", self.mapping(address))

    def address(self, x):
        return hcomm._buffers.read(x, "", "", True)[0] + len(x) // 2

    def mapping(self, address):
        """What /proc calls the memory there."""
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                first, last = (int(number, 16) for number in line.split()[0].split("-"))
                if first <= address < last:
                    return line
        self.fail("no memory there")

    def test_hold(self):
        """The array stays as large as it is, and stays alive; after it, it may be resized."""
        x = bytearray(1 << 20)
        registration = comm.register(x)
        with self.assertRaises(BufferError):
            x.append(1)
        registration.close()
        x.append(1)
        registration = comm.register(bytearray(1 << 20))
        gc.collect()
        registration.close()

    def test_after_its_communicator(self):
        x = bytearray(b"\7" * (1 << 20))
        with together() as made:
            registration = made.register(x)
        registration.close()
        self.assertEqual(x[-1], 7)

    def test_not_closed(self):
        """It is undone when it is collected, and says so to who wants to know."""
        x = bytearray(1 << 20)
        registration = comm.register(x)
        with self.assertWarnsRegex(ResourceWarning, "Registration, 1048576 bytes> was not closed"):
            del registration
            gc.collect()
        self.assertNotIn("hcomm", self.mapping(self.address(x)))

    def test_no_copies(self):
        with comm.register(bytearray(10)) as registration:
            with self.assertRaisesRegex(TypeError, "belongs to its process"):
                copy.copy(registration)
        with self.assertRaisesRegex(TypeError, "made by Communicator.register"):
            hcomm.Registration()


if __name__ == "__main__":
    unittest.main(failfast=True)
