"""Checks of plain arguments."""

from __future__ import annotations

import operator
from typing import Any


def whole(number: Any, call: str, argument: str) -> int:
    """The number as an int, if it is a whole one; numpy's count, too."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{call}: {argument} is {number!r}, and must be a whole number") from None
