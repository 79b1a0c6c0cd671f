"""Memory that the other ranks can read in place."""

from __future__ import annotations

import ctypes
import warnings
import weakref
from typing import Any, NoReturn, Optional

from ._datatypes import BYTES, DATATYPES
from ._checks import whole
from ._library import library, must
from .errors import Error

_FORMATS = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
}


def empty(n: int, dtype: Any = "float32") -> Any:
    """n elements, all zero, in memory that the other ranks of this host read directly.

    Large collectives on it are up to about twice as fast where the ranks' processors share a cache (hcommMemAlloc).
    dtype is a name, such as "float32", or a type of numpy. The result is a numpy array, or where there is no numpy a
    memoryview; the memory is freed when it and all views of it are gone. It is shared with forked children.

    Errors: TypeError (dtype), ValueError (n is negative or too large), hcomm.Error (hcommSystemError: out of memory).
    """
    numpy = _numpy()
    name = _name(dtype, numpy)
    n = whole(n, "empty", "n")
    size = n * BYTES[DATATYPES[name]]
    if not 0 <= size < 2**63:
        raise ValueError(f"empty: n is {n}, and must be 0 or more, and of less than 2**63 bytes")
    block = _block(size)
    if numpy is not None:
        return numpy.frombuffer(block, dtype=name)
    try:
        return memoryview(block).cast("B").cast(_FORMATS[name])
    except ValueError:
        raise TypeError(f"empty: dtype is {dtype!r}, for which Python before 3.12 needs numpy") from None


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _name(dtype: Any, numpy: Any) -> str:
    name = dtype
    if numpy is not None and not isinstance(dtype, str):
        name = numpy.dtype(dtype).name if numpy.dtype(dtype).isnative else dtype
    if name not in _FORMATS:
        raise TypeError(f"empty: dtype is {dtype!r}, and must be one of {', '.join(_FORMATS)}")
    return str(name)


def _block(size: int) -> Any:
    address = ctypes.c_void_p()
    must(library().hcommMemAlloc(ctypes.byref(address), size))
    block = (ctypes.c_char * size).from_address(address.value or ctypes.addressof(_nothing))
    if address.value:
        # Not at exit: other threads may still use it, and the system takes it back then.
        weakref.finalize(block, library().hcommMemFree, address.value).atexit = False
    return block


_nothing = ctypes.c_char()


class Registration:
    """An array of the program's own that Communicator.register has shared, up to close() or the end of a with.

    It holds the array. It may be closed after its communicator, too.
    """

    _lib: ctypes.CDLL
    _comm: Optional[int]
    _handle: Optional[int] = None
    _size: int
    _keep: Any

    def __init__(self) -> None:
        raise TypeError("a Registration is made by Communicator.register()")

    @classmethod
    def _of(cls, comm: Optional[int], handle: Optional[int], size: int, keep: Any) -> Registration:
        self = cls.__new__(cls)
        self._lib, self._comm, self._handle, self._size, self._keep = library(), comm, handle, size, keep
        return self

    def close(self) -> None:
        """Gives the array its own pages again, with what is in it now.

        Does nothing if it is closed. Errors: those of hcommCommDeregister.
        """
        if self._handle is not None:
            must(self._lib.hcommCommDeregister(self._comm, self._handle))
            self._handle = self._keep = None

    def __enter__(self) -> Registration:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self.close()
        except Error:
            if kind is None:
                raise  # otherwise the error that came first tells more

    def __del__(self, warn: Any = warnings.warn) -> None:  # at exit, modules may be gone
        if self._handle is not None:
            warn(f"{self!r} was not closed", ResourceWarning, source=self)
            self._lib.hcommCommDeregister(self._comm, self._handle)

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{self._size} bytes"
        return f"<hcomm.Registration, {state}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Registration belongs to its process, and cannot be pickled or copied")
