"""The kinds of objects that hcomm takes, and what tests put in them."""

import array
import ctypes
from dataclasses import dataclass
from typing import Any, Callable

import hcomm

try:
    import ml_dtypes  # noqa: F401 (gives numpy its types)
except ImportError:
    pass
try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2")


@dataclass
class Kind:
    name: str
    types: tuple
    make: Callable[[str, list], Any]  # an object with these values
    values: Callable[[Any], list]


def _array(type, values):
    letters = "bhilq" if type[0] == "i" else "BHILQ" if type[0] == "u" else "fd"
    return array.array(next(c for c in letters if array.array(c).itemsize * 8 == int(type.strip("uintfloa"))), values)


def _ctypes(type, values):
    element = {"float32": ctypes.c_float, "float64": ctypes.c_double}.get(type) or getattr(ctypes, f"c_{type}")
    return (element * len(values))(*values)


def _memoryview(type, values):
    """A view that starts in the middle of something."""
    return memoryview(_array(type, [0, *values, 0]))[1:-1]


def _empty(type, values):
    made = hcomm.empty(len(values), type)
    for i, value in enumerate(values):
        made[i] = value
    return made


def _numpy(type, values):
    """Of two dimensions, where that can be."""
    made = numpy.array(values, dtype=type)
    return made.reshape(-1, 2) if len(values) % 2 == 0 else made


def _have(module, names):
    def has(name):
        try:
            return module.zeros(1, dtype=getattr(module, name, name)) is not None
        except TypeError:
            return False

    return tuple(filter(has, names)) if module else ()


_plain = (*INTEGERS, "float32", "float64")
KINDS = [
    Kind("array.array", _plain, _array, list),
    Kind("ctypes", _plain, _ctypes, list),
    Kind("memoryview", _plain, _memoryview, list),
    Kind("bytearray", ("uint8",), lambda type, values: bytearray(values), list),
    Kind("hcomm.empty", _plain, _empty, list),
    Kind("numpy", _have(numpy, INTEGERS + FLOATS), _numpy, lambda x: [y.item() for y in x.reshape(-1).astype(x.dtype)]),
    Kind(
        "torch",
        _have(torch, INTEGERS + FLOATS),
        lambda type, values: torch.tensor(values, dtype=getattr(torch, type)),
        lambda x: x.double().tolist() if x.dtype.is_floating_point else x.tolist(),
    ),
]


def bits(type):
    return int(type.split("_")[0].strip("uintbfloa"))


def values(type, rank, count, first=0):
    """Numbers of which every result is exact in the narrowest type, and that look otherwise in any other type."""
    numbers = []
    for i in range(first, first + count):
        number = (i + rank) % 2 + 1
        if i % 3 == 1 and rank % 2 == 0:
            number = number + 2 ** (bits(type) - 1) if type[0] == "u" else -number
        numbers.append(number)
    return numbers


def wrap(type, number):
    if type in FLOATS:
        return number
    number %= 2 ** bits(type)
    return number - 2 ** bits(type) if type[0] == "i" and number >= 2 ** (bits(type) - 1) else number
