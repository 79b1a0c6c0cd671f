"""The library's types of elements and its operators: their names, and their numbers in hcomm.h."""

from __future__ import annotations

_TABLE = (
    # name, number, bytes
    ("int8", 0, 1),
    ("uint8", 1, 1),
    ("int32", 2, 4),
    ("uint32", 3, 4),
    ("int64", 4, 8),
    ("uint64", 5, 8),
    ("float16", 6, 2),
    ("float32", 7, 4),
    ("float64", 8, 8),
    ("bfloat16", 9, 2),
    ("float8_e4m3fn", 10, 1),  # the names that numpy (with ml_dtypes) and torch have for OCP's FP8
    ("float8_e5m2", 11, 1),
    ("int16", 64, 2),
    ("uint16", 65, 2),
)

DATATYPES = {name: number for name, number, _ in _TABLE}
NAMES = {number: name for name, number, _ in _TABLE}
BYTES = {number: size for _, number, size in _TABLE}

OPERATORS = {
    "sum": 0,
    "prod": 1,
    "max": 2,
    "min": 3,
    "avg": 4,
    "and": 64,
    "or": 65,
    "xor": 66,
    "logical_and": 67,
    "logical_or": 68,
    "logical_xor": 69,
}
