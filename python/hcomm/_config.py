"""How a communicator is to be made, where it is to be otherwise than the settings say."""

from __future__ import annotations

import ctypes
import math
from ctypes import c_char_p, c_int, c_size_t, c_uint
from typing import Any, Optional

from ._version import __version__

UNSET = -(2**31)
MAGIC = 0x68636F6D
LONGEST_TIMEOUT = (2**31 - 1) // 1000


class Config(ctypes.Structure):
    """hcommConfig_t."""

    _fields_ = [
        ("size", c_size_t),
        ("magic", c_uint),
        ("version", c_uint),
        ("blocking", c_int),
        ("timeout_ms", c_int),
        ("deterministic", c_int),
        ("lanes", c_int),
        ("name", c_char_p),
    ]


def config(call: str, timeout: Any, deterministic: Any, name: Any) -> Config:
    """The struct with these fields; None leaves one unset."""
    major, minor, patch = map(int, __version__.split("."))
    return Config(
        size=ctypes.sizeof(Config),
        magic=MAGIC,
        version=major * 10000 + minor * 100 + patch,
        blocking=UNSET,
        timeout_ms=UNSET if timeout is None else _milliseconds(timeout, call),
        deterministic=UNSET if deterministic is None else _flag(deterministic, call),
        lanes=UNSET,
        name=_text(name, call),
    )


def _milliseconds(timeout: Any, call: str) -> int:
    milliseconds: int
    try:
        milliseconds = math.ceil(timeout * 1000)  # upwards, for 0 means never
    except TypeError:
        raise TypeError(f"{call}: timeout is {timeout!r}, and must be a number of seconds") from None
    except (ValueError, OverflowError):  # what is no number, or infinite
        milliseconds = -1
    if not 0 <= milliseconds <= LONGEST_TIMEOUT * 1000:
        raise ValueError(f"{call}: timeout is {timeout!r}, and must be 0, which is never, to {LONGEST_TIMEOUT} seconds")
    return milliseconds


def _flag(deterministic: Any, call: str) -> int:
    if deterministic not in (False, True):
        raise ValueError(f"{call}: deterministic is {deterministic!r}, and must be True or False")
    return int(deterministic)


def _text(name: Any, call: str) -> Optional[bytes]:
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f"{call}: name is {name!r}, and must be a str")
    text = name.encode("utf-8", "replace")
    if len(text) > 127 or any(byte < 0x20 or byte == 0x7F for byte in text):
        raise ValueError(f"{call}: name is {name!r}, and must have up to 127 bytes, and no control characters")
    return text
