"""Checks of arguments, and the sentences for what they refuse."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

from ._datatypes import NAMES, OPERATORS


def whole(number: Any, call: str, argument: str) -> int:
    """The number as an int, if it is a whole one; numpy's count, too."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{call}: {argument} is {number!r}, and must be a whole number") from None


def refuse_pair(call: str, datatype: int, received: int, argument: str, has: int, want: str) -> NoReturn:
    if datatype != received:
        raise TypeError(f"{call}: dst has elements of type {NAMES[received]}, and must have src's, {NAMES[datatype]}")
    raise ValueError(f"{call}: {argument} has {has} elements, and must have {want}")


def operator_number(op: str, call: str) -> int:
    number = OPERATORS.get(op)
    if number is None:
        raise ValueError(f"{call}: op is {op!r}, and must be one of {', '.join(OPERATORS)}")
    return number


def whole_int32(number: int, call: str, argument: str) -> int:
    """ctypes would take a number's last 32 bits."""
    number = whole(number, call, argument)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{call}: {argument} is {number}, and must be less than 2**31")
    return number


def block(call: str, argument: str, total: int, size: int) -> int:
    """How many elements each of size ranks has of the total."""
    count, rest = divmod(total, size)
    if rest:
        raise ValueError(f"{call}: {argument} has {total} elements, and must have as many for each of the {size} ranks")
    return count


def refuse_blocks(
    call: str, datatype: int, received: int, argument: str, has: int, other: str, count: int, size: int
) -> NoReturn:
    want = f"size times as many as {other}, {size} * {count} = {size * count}"
    refuse_pair(call, datatype, received, argument, has, want)
