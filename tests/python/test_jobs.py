"""What happens beside the results: ranks that die, leave, disagree or abort; forks, threads, signals, the end.

Run alone: it makes its own ranks, which are processes or threads.
"""

import array
import copy
import gc
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import unittest
import warnings

import hcomm
from hcomm._library import library, must

spawn, fork = multiprocessing.get_context("spawn"), multiprocessing.get_context("fork")


def alone():
    return hcomm.Communicator.from_id(1, hcomm.unique_id(), 0)


def reaches(comm):
    """One allreduce, which is right."""
    x = array.array("i", [comm.rank + 1])
    comm.all_reduce(x)
    return x[0] == comm.size * (comm.size + 1) // 2


# -------------------------------------------------------------------------------------------- ranks that are processes


def as_rank(function, nranks, id, rank, results):
    with hcomm.Communicator.from_id(nranks, id, rank) as comm:
        try:
            result = function(comm)
        except hcomm.Error as error:
            result = error
        results.put((rank, result))


def processes(function, nranks):
    """What the function returns or raises on each rank, by rank; those that have died are not in it."""
    results, id = spawn.Queue(), hcomm.unique_id()
    ranks = [spawn.Process(target=as_rank, args=(function, nranks, id, rank, results)) for rank in range(nranks)]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join()
    given = {}
    for process in ranks:
        if process.exitcode == 0:
            rank, result = results.get()
            given[rank] = result
    return given


def sums(comm):
    return reaches(comm)


def dies(comm):
    reaches(comm)
    if comm.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    comm.barrier()


def goes_on(comm):
    try:
        dies(comm)
    except hcomm.Error:
        failed = comm.failed_ranks()
        with comm.shrink() as smaller:
            return failed, comm.error.name, smaller.rank, smaller.size, reaches(smaller)


def leaves(comm):
    reaches(comm)
    if comm.rank == 1:
        comm.close()
        return "left"
    reaches(comm)


def disagrees(comm):
    x = bytearray(8)
    if comm.rank == 1:
        comm.all_reduce(x, op="max")
    else:
        comm.all_reduce(x)


class Processes(unittest.TestCase):
    def fails_on(self, given, ranks, name, words):
        self.assertEqual({given[rank].name for rank in ranks}, {name})
        (text,) = {str(given[rank]) for rank in ranks}
        for word in words:
            self.assertIn(word, text)

    def test_spawn(self):
        self.assertEqual(processes(sums, 3), {0: True, 1: True, 2: True})

    def test_death(self):
        given = processes(dies, 3)
        self.assertEqual(set(given), {0, 2})
        self.fails_on(given, (0, 2), "hcommRemoteError", ("rank 1",))

    def test_going_on(self):
        given = processes(goes_on, 3)
        want = {rank: ([1], "hcommRemoteError", new, 2, True) for rank, new in ((0, 0), (2, 1))}
        self.assertEqual(given, want)

    def test_leaving(self):
        given = processes(leaves, 3)
        self.assertEqual(given[1], "left")
        self.fails_on(given, (0, 2), "hcommRemoteError", ("rank 1", "left"))

    def test_disagreement(self):
        self.fails_on(processes(disagrees, 3), (0, 1, 2), "hcommMismatch", ("sum", "max"))


# ----------------------------------------------------------------------------------------------------------- forks

parent_comm = None


def in_fork(what):
    if what == "all_reduce":
        return reaches(parent_comm)
    if what == "close":
        return parent_comm.close()
    if what == "error":
        raise parent_comm.error
    if what == "register":
        return parent_comm.register(bytearray(1))
    if what == "empty":
        return hcomm.empty(1000)
    return alone()


class Forks(unittest.TestCase):
    def test_workers(self):
        """Each call in a worker is an hcomm.Error, which the pool brings to the parent; the parent goes on."""
        global parent_comm
        with alone() as parent_comm, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
            kept = hcomm.empty(1000)
            with fork.Pool(2) as pool:
                for what in "all_reduce", "close", "error", "register", "empty", "unique_id":
                    with self.assertRaisesRegex(hcomm.Error, "was forked after hcomm was loaded") as caught:
                        pool.apply(in_fork, (what,))
                    self.assertEqual(caught.exception.name, "hcommInvalidUsage", what)
                    self.assertTrue(reaches(parent_comm))
            self.assertEqual(kept[999], 0)
            self.assertTrue(reaches(parent_comm))

    def test_import_before_fork(self):
        """The library is not loaded by the import, so that what is forked before its first use can use it."""
        program = "import hcomm, os\npid = os.fork()\nhcomm.library_version()\nif pid: exit(os.wait()[1])"
        self.assertEqual(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", program]), 0)


# --------------------------------------------------------------------------------------------------------- threads


def threads(*functions):
    """Runs each with the communicator of a rank, in a thread of its own; gives what they return or raise."""
    id, given = hcomm.unique_id(), [None] * len(functions)

    def run(rank):
        try:
            with hcomm.Communicator.from_id(len(functions), id, rank) as comm:
                given[rank] = functions[rank](comm)
        except Exception as error:
            given[rank] = error

    started = [threading.Thread(target=run, args=(rank,)) for rank in range(len(functions))]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return given


class Threads(unittest.TestCase):
    def test_ranks(self):
        """Ranks wait for each other in one process, which they could not if a call kept the GIL."""
        self.assertEqual(threads(*[lambda comm: all(reaches(comm) for _ in range(200))] * 3), [True] * 3)

    def test_one_communicator(self):
        """Of two threads that receive at once one is refused, and the other has its message."""
        ended, refused = queue.Queue(), threading.Event()

        def receives(comm):
            def receive():
                x = bytearray(1)
                try:
                    comm.recv(x, 1)
                    ended.put(x[0])
                except hcomm.Error as error:
                    ended.put(error.name)
                    refused.set()

            both = [threading.Thread(target=receive) for _ in range(2)]
            for thread in both:
                thread.start()
            for thread in both:
                thread.join()

        def sends(comm):
            refused.wait()
            comm.send(b"\7", 0)

        threads(receives, sends)
        self.assertEqual({ended.get(), ended.get()}, {"hcommInvalidUsage", 7})

    def test_abort(self):
        """A thread aborts while this one waits, and other ranks are told."""

        def aborts(comm):
            thread = threading.Thread(target=comm.abort)
            thread.start()
            try:
                comm.recv(bytearray(1), 1)
            finally:
                thread.join()

        given = threads(aborts, lambda comm: comm.recv(bytearray(1), 0))
        self.assertIsInstance(given[0], hcomm.Error)
        self.assertEqual(given[1].name, "hcommRemoteError")
        self.assertIn("rank 0", str(given[1]))

    def test_interrupt(self):
        """A KeyboardInterrupt comes when the call returns, whose result is there."""
        begin, id = threading.Lock(), hcomm.unique_id()
        begin.acquire()

        def other():
            with hcomm.Communicator.from_id(2, id, 1) as comm:
                with begin:  # the first thread has given up the GIL, and so is in its call
                    os.kill(os.getpid(), signal.SIGINT)
                x = bytearray(b"\2")
                comm.all_reduce(x)
                comm.barrier()

        thread = threading.Thread(target=other)
        thread.start()
        interval, x = sys.getswitchinterval(), bytearray(b"\1")
        with hcomm.Communicator.from_id(2, id, 0) as comm:
            sys.setswitchinterval(1000)
            try:
                with self.assertRaises(KeyboardInterrupt):
                    begin.release()
                    comm.all_reduce(x)
            finally:
                sys.setswitchinterval(interval)
            self.assertEqual(x, b"\3")
            comm.barrier()
        thread.join()


# --------------------------------------------------------------------------------------------------------- the end


class Ends(unittest.TestCase):
    def test_with(self):
        with alone() as comm:
            self.assertEqual(repr(comm), "<hcomm.Communicator, rank 0 of 1>")
            self.assertTrue(reaches(comm))
        self.assertEqual(repr(comm), "<hcomm.Communicator, closed>")
        comm.close()
        comm.abort()
        for call in comm.barrier, lambda: comm.all_reduce(bytearray(1)), lambda: comm.send(b"", 0):
            with self.assertRaisesRegex(hcomm.Error, ": this communicator is closed"):
                call()

    def test_error_in_with(self):
        with self.assertRaises(ZeroDivisionError), alone() as comm:
            1 / 0
        self.assertEqual(repr(comm), "<hcomm.Communicator, closed>")

    def test_not_closed(self):
        """It leaves when it is collected, and says so to who wants to know."""
        comm = alone()
        with self.assertWarnsRegex(ResourceWarning, "rank 0 of 1> was not closed"):
            del comm
            gc.collect()

    def test_no_copies(self):
        with alone() as comm:
            for function in pickle.dumps, copy.copy:
                with self.assertRaisesRegex(TypeError, "belongs to its process"):
                    function(comm)

    def test_buffer_in_use(self):
        """A buffer is held during a call, and free after it."""
        x = bytearray(8)
        with alone() as comm:
            comm.all_reduce(x)
            x.extend(b"more")
            comm.all_reduce(memoryview(x)[2:])
            x.clear()


class Memory(unittest.TestCase):
    def test_lifetime(self):
        """Freed once, when the last view is gone."""
        freed, free = [], library().hcommMemFree
        library().hcommMemFree = lambda address: freed.append(address) or free(address)
        try:
            x = hcomm.empty(1 << 20, "float64")
        finally:
            library().hcommMemFree = free
        view = memoryview(x)[1 << 19 :]
        del x
        gc.collect()
        view[-1] = 3.0
        self.assertEqual((freed, view[-1]), ([], 3.0))
        del view
        gc.collect()
        self.assertEqual(len(freed), 1)
        with self.assertRaisesRegex(hcomm.Error, "hcommMemFree"):
            must(free(freed[0]))


if __name__ == "__main__":
    unittest.main()
