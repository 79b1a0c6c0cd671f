"""Where the elements of a caller's object are, how many there are, and of what type.

read() knows numpy arrays, torch tensors, and everything that has Python's buffer protocol. It copies nothing. It
imports neither numpy nor torch: an object can only be theirs if the program has imported them.
"""

from __future__ import annotations

import ctypes
import functools
import re
import struct
import sys
from ctypes import addressof, byref, c_char, c_int, c_ssize_t, c_void_p, py_object
from typing import Any, Callable, Optional

from ._datatypes import BYTES, DATATYPES

# Address, number of elements, datatype, and an object that keeps the memory where it is for as long as it lives.
Region = tuple[int, int, int, Any]
Reader = Callable[[Any, str, str, bool], Region]

_KINDS = (
    "must be a numpy array, a torch CPU tensor, or an object with the buffer protocol (array.array, bytearray, "
    "memoryview, ctypes array)"
)
_TYPES = f"must be one of {', '.join(DATATYPES)}"

# By exact type, for those that come often.
_readers: dict[type, Reader] = {}


def read(x: Any, call: str, argument: str, write: bool) -> Region:
    """The region of x, which is to be written if write is true.

    call and argument are for the text of a TypeError or ValueError.
    """
    reader = _readers.get(type(x))
    if reader is None:
        reader = _reader_of(x)
    return reader(x, call, argument, write)


def _reader_of(x: Any) -> Reader:
    global _numpy_types, _torch_types
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and isinstance(x, getattr(numpy, "ndarray", ())):
        if hasattr(x, "mask"):
            return _refuse_masked
        if not _numpy_types:
            types = map(numpy.dtype, "bBhHiIlLqQefd")  # two of them are int64, and two uint64
            _numpy_types = {dtype: DATATYPES[dtype.name] for dtype in types}
        if type(x) is numpy.ndarray:
            _readers[numpy.ndarray] = _read_numpy
        return _read_numpy
    if torch is not None and isinstance(x, getattr(torch, "Tensor", ())):
        if not _torch_types:
            _torch_types = {getattr(torch, name): number for name, number in DATATYPES.items() if hasattr(torch, name)}
        if type(x) is torch.Tensor:
            _readers[torch.Tensor] = _read_torch
        return _read_torch
    return _read_buffer


# ---------------------------------------------------------------------------------------------------------- numpy

_numpy_types: dict[Any, int] = {}
_export = (c_char * 0).from_buffer  # refuses what is not writable or not C-contiguous; the fastest way to an address


def _read_numpy(x: Any, call: str, argument: str, write: bool) -> Region:
    try:
        keep = _export(x)
        return addressof(keep), x.size, _numpy_types[x.dtype], keep
    except (TypeError, ValueError, KeyError, BufferError):
        return _read_rare_numpy(x, call, argument, write)


def _read_rare_numpy(x: Any, call: str, argument: str, write: bool) -> Region:
    """Read-only arrays, the types of ml_dtypes, and what is refused."""
    number = _numpy_types.get(x.dtype)
    if number is None and x.dtype.isnative:
        number = DATATYPES.get(x.dtype.name)
    if number is None:
        what = x.dtype.name if x.dtype.isnative else f"{x.dtype.newbyteorder('=').name} in foreign byte order"
        raise TypeError(f"{call}: {argument} has elements of type {what}, and these {_TYPES}, in native byte order")
    if not x.flags.c_contiguous:
        raise ValueError(
            f"{call}: {argument} has strides {x.strides}, and must be C-contiguous (numpy.ascontiguousarray copies)"
        )
    if write and not x.flags.writeable:
        raise ValueError(f"{call}: {argument} is read-only, and must be writable")
    return x.__array_interface__["data"][0], x.size, number, x


def _refuse_masked(x: Any, call: str, argument: str, write: bool) -> Region:
    raise TypeError(f"{call}: {argument} is a masked array, whose mask would be lost, and must be a plain one")


# ---------------------------------------------------------------------------------------------------------- torch

_torch_types: dict[Any, int] = {}


def _read_torch(x: Any, call: str, argument: str, write: bool) -> Region:
    torch = sys.modules["torch"]
    if x.device.type != "cpu":
        raise ValueError(f"{call}: {argument} is on device {x.device}, and must be on the CPU")
    if x.layout is not torch.strided:
        raise ValueError(f"{call}: {argument} has the layout {x.layout}, and must be dense (torch.strided)")
    number = _torch_types.get(x.dtype)
    if number is None:
        raise TypeError(f"{call}: {argument} has elements of type {x.dtype}, and these {_TYPES}")
    if not x.is_contiguous():
        raise ValueError(f"{call}: {argument} has strides {x.stride()}, and must be contiguous (contiguous() copies)")
    if x.is_neg():
        raise ValueError(
            f"{call}: {argument} is a view that is negated when read, and must be resolved (resolve_neg())"
        )
    return x.data_ptr(), x.numel(), number, x


# ------------------------------------------------------------------------------------------------ buffer protocol


class _Buffer(ctypes.Structure):
    """Python's Py_buffer."""

    _fields_ = [
        ("buf", c_void_p),
        ("obj", c_void_p),
        ("len", c_ssize_t),
        ("itemsize", c_ssize_t),
        ("readonly", c_int),
        ("ndim", c_int),
        ("format", c_void_p),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("suboffsets", c_void_p),
        ("internal", c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [py_object, ctypes.POINTER(_Buffer), c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_Buffer)]
_release_buffer.restype = None

_NATIVE = "@=" + ("<" if sys.byteorder == "little" else ">!")
_format = re.compile(r"([@=<>!]?)(?:([bhilqn])|([BHILQNc])|([efd]))")


def _read_buffer(x: Any, call: str, argument: str, write: bool) -> Region:
    try:
        view = memoryview(x)
    except (TypeError, BufferError):
        what = "None" if x is None else f"of type {type(x).__module__}.{type(x).__qualname__}".replace("builtins.", "")
        raise TypeError(f"{call}: {argument} is {what}, and {_KINDS}") from None
    number = _datatype_of(view.format, view.itemsize)
    if number is None:
        raise TypeError(
            f'{call}: {argument} has elements of the format "{view.format}", and these {_TYPES}, in native byte order'
        )
    if not view.c_contiguous:
        raise ValueError(f"{call}: {argument} has strides {view.strides}, and must be C-contiguous")
    if write and view.readonly:
        raise ValueError(f"{call}: {argument} is read-only, and must be writable")
    address = _address_of_read_only(view) if view.readonly else addressof(_export(view))
    return address, view.nbytes // BYTES[number], number, view  # the view holds the memory in place


def _address_of_read_only(view: memoryview) -> int:
    buffer = _Buffer()
    _get_buffer(view, byref(buffer), 0)
    address = buffer.buf or 0
    _release_buffer(byref(buffer))
    return address


@functools.lru_cache
def _datatype_of(letters: str, itemsize: int) -> Optional[int]:
    """The size is the item's and not the letter's: ctypes has "<l" for its long, which has 8 bytes."""
    match = _format.fullmatch(letters)
    if match is None:
        return None
    order, signed, unsigned, _ = match.groups()
    itemsize = itemsize or struct.calcsize(letters[-1])  # ctypes arrays without elements had 0 once
    if order and order not in _NATIVE and itemsize > 1:
        return None
    kind = "int" if signed else "uint" if unsigned else "float"
    return DATATYPES.get(f"{kind}{itemsize * 8}")
