"""Finds libhcomm.so, loads it, and declares its functions.

It is loaded by the first call that needs it, not by "import hcomm": hcomm refuses to work in a process that was forked
after the library was loaded, and a program may import everything before it forks its workers.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Optional

from ._config import Config
from ._version import __version__
from .errors import Error

SONAME = "libhcomm.so.1"


class UniqueId(ctypes.Structure):
    """hcommUniqueId."""

    _fields_ = [("internal", c_char * 128)]


# In the order of hcomm.h. Addresses and handles are c_void_p, which takes and gives plain numbers.
_buffers = [c_void_p, c_void_p, c_size_t, c_int]  # sendbuff, recvbuff, count, datatype
_end = [c_void_p, c_void_p]  # comm, stream
_ARGUMENTS: dict[str, list[Any]] = {
    "hcommGetVersion": [POINTER(c_int)],
    "hcommGetLastError": [c_void_p],
    "hcommGetUniqueId": [POINTER(UniqueId)],
    "hcommCommInitRankConfig": [POINTER(c_void_p), c_int, UniqueId, c_int, POINTER(Config)],
    "hcommCommInitEnv": [POINTER(c_void_p)],
    "hcommCommSplit": [c_void_p, c_int, c_int, POINTER(c_void_p), POINTER(Config)],
    "hcommCommDup": [c_void_p, POINTER(c_void_p)],
    "hcommCommShrink": [c_void_p, POINTER(c_int), c_int, POINTER(c_void_p), POINTER(Config), c_int],
    "hcommCommFinalize": [c_void_p],
    "hcommCommRevoke": [c_void_p, c_int],
    "hcommCommGetFailedRanks": [c_void_p, POINTER(c_int), POINTER(c_int)],
    "hcommCommGetAsyncError": [c_void_p, POINTER(c_int)],
    "hcommCommDestroy": [c_void_p],
    "hcommCommAbort": [c_void_p],
    "hcommCommCount": [c_void_p, POINTER(c_int)],
    "hcommCommUserRank": [c_void_p, POINTER(c_int)],
    "hcommMemAlloc": [POINTER(c_void_p), c_size_t],
    "hcommMemFree": [c_void_p],
    "hcommCommRegister": [c_void_p, c_void_p, c_size_t, POINTER(c_void_p)],
    "hcommCommDeregister": [c_void_p, c_void_p],
    "hcommAllReduce": [*_buffers, c_int, *_end],
    "hcommBroadcast": [*_buffers, c_int, *_end],
    "hcommReduce": [*_buffers, c_int, c_int, *_end],
    "hcommAllGather": [*_buffers, *_end],
    "hcommReduceScatter": [*_buffers, c_int, *_end],
    "hcommAlltoAll": [*_buffers, *_end],
    "hcommGather": [*_buffers, c_int, *_end],
    "hcommScatter": [*_buffers, c_int, *_end],
    "hcommBarrier": _end,
    "hcommSend": [c_void_p, c_size_t, c_int, c_int, *_end],
    "hcommRecv": [c_void_p, c_size_t, c_int, c_int, *_end],
}

_loaded: Optional[ctypes.CDLL] = None
_lock = threading.Lock()


def library() -> ctypes.CDLL:
    """The library; calls through it release the GIL."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                found = _find()
                _check_version(found)
                for name, arguments in _ARGUMENTS.items():
                    getattr(found, name).argtypes = arguments
                found.hcommGetLastError.restype = c_char_p
                _loaded = found
    return _loaded


def must(code: int) -> None:
    """Raises the error that a call on this thread has just returned, if it is one."""
    if code:
        raise last_error(code)


def last_error(code: int) -> Error:
    """The error of the call on this thread that has just returned the code."""
    return Error(code, library().hcommGetLastError(None).decode("utf-8", "replace"))


def library_version() -> str:
    """The version of the library that is loaded, such as "0.4.0"."""
    return ".".join(map(str, _version_of(library())))


def _candidates() -> list[str]:
    """Where the library may be, in the order in which it is looked for."""
    if os.environ.get("HCOMM_LIBRARY"):
        return [os.environ["HCOMM_LIBRARY"]]
    package = Path(__file__).resolve().parent
    installed = package.parents[2] / SONAME  # PREFIX/lib/python3/dist-packages/hcomm
    built = package.parents[1] / "build" / "lib" / SONAME  # python/hcomm of a source tree
    return [str(installed), str(built), SONAME]


def _find() -> ctypes.CDLL:
    # One process must not have two of them: where the program is linked with hcomm, that one is taken.
    try:
        return ctypes.CDLL(SONAME, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        pass
    reasons = []
    for candidate in _candidates():
        try:
            return ctypes.CDLL(candidate)
        except OSError as error:
            reasons.append(f"\n  {error}")  # which begins with the candidate
    raise OSError(
        f"hcomm cannot load its library, {SONAME}; it has looked in these places:{''.join(reasons)}\n"
        "Set HCOMM_LIBRARY to its path, or LD_LIBRARY_PATH to its folder."
    )


def _version_of(found: ctypes.CDLL) -> tuple[int, int, int]:
    code = c_int()
    found.hcommGetVersion(ctypes.byref(code))
    return code.value // 10000, code.value // 100 % 100, code.value % 100


def works_with(library_has: tuple[int, ...], package_has: tuple[int, ...]) -> bool:
    """hcomm.h's rule: later ones of the same MAJOR; while that is 0, of the same MINOR."""
    same = 1 if package_has[0] else 2
    return library_has[:same] == package_has[:same] and library_has >= package_has


def _check_version(found: ctypes.CDLL) -> None:
    has = _version_of(found)
    if not works_with(has, tuple(map(int, __version__.split(".")))):
        raise OSError(
            f"the library {found._name} has version {'.'.join(map(str, has))}, and hcomm {__version__} for Python "
            "works with that version and later ones that hcomm.h calls compatible: install the two from one source"
        )
