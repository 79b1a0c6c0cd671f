"""What the tests share: communicators, kinds of calls, values, and what reductions make of these."""

import functools

import numpy
from mpi4py import MPI

WORLD = MPI.COMM_WORLD

# Communicators of every shape: each rank is in all of them, alone or with others.
COMMS = {
    "world": WORLD,
    "dup": WORLD.Dup(),
    "reversed": WORLD.Split(0, key=-WORLD.rank),
    "even and odd": WORLD.Split(WORLD.rank % 2, key=WORLD.rank),
    "self": MPI.COMM_SELF,
}


def blocking(comm, name, *args):
    getattr(comm, name)(*args)


def waited(comm, name, *args):
    getattr(comm, "I" + name.lower())(*args).Wait()


def tested(comm, name, *args):
    request = getattr(comm, "I" + name.lower())(*args)
    while not request.Test():
        pass


FORMS = (blocking, waited, tested)

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "g", "c8", "c16"]
SOME_TYPES = ["?", "u1", "i4", "f4", "f8", "c16"]  # where all would take too long

_of_all = {"SUM": numpy.add, "PROD": numpy.multiply}
_of_ordered = {"MAX": numpy.maximum, "MIN": numpy.minimum}
_logical = {"LAND": numpy.logical_and, "LOR": numpy.logical_or, "LXOR": numpy.logical_xor}
_of_bits = {"BAND": numpy.bitwise_and, "BOR": numpy.bitwise_or, "BXOR": numpy.bitwise_xor}
_functions = {**_of_all, **_of_ordered, **_logical, **_of_bits}
_of_kind = {
    "b": _logical,
    "i": _functions,
    "u": _functions,
    "f": {**_of_all, **_of_ordered},
    "c": _of_all,
}


def operators(type):
    """Those that MPI defines for a type, each with its name."""
    for name in _of_kind[numpy.dtype(type).kind]:
        yield name, getattr(MPI, name)


def values(type, rank, count, salt=0):
    """Numbers of which every result of up to four ranks is exact, and that are different on each rank."""
    numbers, kind = (numpy.arange(count) * 7 + rank * 3 + salt) % 5 - 1, numpy.dtype(type).kind
    if kind == "c":
        numbers = numbers + 1j * (numbers % 3)
    numbers = numbers.astype(type) if kind != "u" else abs(numbers).astype(type)
    if kind == "u":
        wide = numbers.itemsize == 8  # Open MPI 4.1 compares unsigned longs as if they were signed
        numbers[numbers == 3] = numpy.iinfo(type).max // (2 if wide else 1) - 6
    return numbers


def of_ranks(comm, type, count, salt=0):
    """The values of each rank of a communicator."""
    return [values(type, rank, count, salt) for rank in range(comm.size)]


def reduced(operator, arrays):
    """What the operator of this name makes of the arrays, from left to right."""
    return functools.reduce(lambda x, y: _functions[operator](x, y).astype(x.dtype), arrays)


def untouched(type, *shape):
    """A buffer whose contents are unlike any values()."""
    return numpy.full(shape, 1 if numpy.dtype(type).kind == "b" else 77, type)


def same(have, want, *what):
    numpy.testing.assert_array_equal(have, want, f"{', '.join(map(str, what))}, rank {WORLD.rank} of {WORLD.size}")
