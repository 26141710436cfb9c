"""Reads the tables of `cupping export --to columns`.

analysis/write/column_writer.h describes the files. With pandas a table is a data frame, with numpy
alone a dict of arrays, otherwise a dict of lists.
"""

from __future__ import annotations

import array
import json
import struct
from typing import Any, NamedTuple

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

MAGIC = b"CUPCOLS1"
NOT_A_TIME = -(2**63)


class Part(NamedTuple):
    """Rows of a column, as stored."""

    kind: str | None
    offset: int
    width: int
    base: int
    nulls: int
    rows: int


def read_description(data: bytes) -> dict:
    """The description at the end of a file. Raises ValueError if the file is not whole."""
    if len(data) < 24 or data[:8] != MAGIC or data[-8:] != MAGIC:
        raise ValueError("not a table of cupping, or not all of it")
    (length,) = struct.unpack("<Q", data[-16:-8])
    if length > len(data) - 24:
        raise ValueError("a damaged table of cupping")
    return json.loads(data[-16 - length : -16])


def parts_of(column: dict, description: dict) -> list[Part]:
    left, parts = description["rows"], []
    for numbers in column["parts"]:
        parts.append(Part(*numbers, min(left, description["part_rows"])))
        left -= parts[-1].rows
    return parts


def common_kind(parts: list[Part]) -> str | None:
    """The kind that can hold the values of all parts."""
    kinds = {part.kind for part in parts} - {None}
    if len(kinds) <= 1:
        return min(kinds, default=None)
    if "text" in kinds:
        return "text"
    return "signed" if kinds <= {"count", "signed", "bool"} else "real"


# --- with the standard library alone ---


def part_as_list(data: bytes, part: Part) -> list:
    """Whole numbers, or floats, with None where there is no value."""
    if part.kind is None:
        return [None] * part.rows
    if part.width == 0:
        values = [part.base] * part.rows
    else:
        code = "d" if part.kind == "real" else {1: "B", 2: "H", 4: "I", 8: "Q"}[part.width]
        stored = array.array(code, data[part.offset : part.offset + part.rows * part.width])
        values = stored.tolist() if part.kind == "real" else [part.base + more for more in stored]
    if part.nulls:
        for row, null in enumerate(data[part.nulls : part.nulls + part.rows]):
            if null:
                values[row] = None
    return values


def as_list(data: bytes, parts: list[Part], texts: list[str]) -> list:
    """Durations and times are floats, in seconds."""
    values = []
    for part in parts:
        some = part_as_list(data, part)
        if part.kind == "text":
            some = [None if code is None else texts[code] for code in some]
        elif part.kind in ("seconds", "time"):
            some = [None if ns is None else ns / 1e9 for ns in some]
        elif part.kind == "bool":
            some = [None if truth is None else bool(truth) for truth in some]
        values += some
    return values


# --- with numpy ---


def part_as_array(data: bytes, part: Part) -> Any:
    if part.kind is None or part.width == 0:
        dtype = numpy.uint64 if part.kind == "count" else numpy.int64
        return numpy.full(part.rows, part.base, dtype)
    stored = numpy.frombuffer(data, "<f8" if part.kind == "real" else f"<u{part.width}", part.rows,
                              part.offset)
    if part.kind == "real":
        return stored
    # Modulo 2**64, so that a negative base is right.
    values = stored.astype(numpy.uint64) + numpy.uint64(part.base % 2**64)
    return values if part.kind == "count" else values.view(numpy.int64)


def as_arrays(data: bytes, parts: list[Part], kind: str | None) -> tuple[Any, Any]:
    """All values as one array, and where there are none."""
    values, missing = [], []
    for part in parts:
        some = part_as_array(data, part)
        if kind == "real" and part.kind in ("seconds", "time"):
            some = some / 1e9
        values.append(some)
        null = numpy.frombuffer(data, "u1", part.rows, part.nulls).astype(bool) if part.nulls else \
            numpy.full(part.rows, part.kind is None)
        missing.append(null)
    if not values:
        return numpy.zeros(0, numpy.int64), numpy.zeros(0, bool)
    whole = numpy.concatenate(values)
    if kind in ("count", "signed"):
        whole = whole.astype(numpy.uint64 if whole.dtype == numpy.uint64 and len(whole) and
                             whole.max() > 2**63 - 1 else numpy.int64)
    return whole, numpy.concatenate(missing)


def to_numpy(data: bytes, parts: list[Part], texts: list[str]) -> Any:
    """Times as datetime64, durations as timedelta64, texts as objects; numbers with gaps as floats."""
    kind = common_kind(parts)
    if kind == "text" and any(part.kind not in ("text", None) for part in parts):
        return numpy.array(as_list(data, parts, texts), object)
    values, missing = as_arrays(data, parts, kind)
    if kind == "text":
        return numpy.where(missing, None, numpy.array([*texts, None], object)[values])
    if kind in ("seconds", "time"):
        values = numpy.where(missing, NOT_A_TIME, values)
        return values.view("timedelta64[ns]" if kind == "seconds" else "datetime64[ns]")
    if kind is None or missing.any():
        return numpy.where(missing, numpy.nan, values.astype(float))
    return values.astype(bool) if kind == "bool" else values


def to_pandas(data: bytes, parts: list[Part], texts: list[str]) -> Any:
    """Texts as categories, times in UTC, whole numbers with gaps as Int64."""
    kind = common_kind(parts)
    if kind == "text" and all(part.kind in ("text", None) for part in parts):
        values, missing = as_arrays(data, parts, kind)
        return pandas.Categorical.from_codes(numpy.where(missing, -1, values), texts)
    if kind in ("count", "signed", "bool"):
        values, missing = as_arrays(data, parts, kind)
        if missing.any() and kind == "bool":
            return pandas.arrays.BooleanArray(values.astype(bool), missing)
        if missing.any():
            return pandas.arrays.IntegerArray(values, missing)
    values = to_numpy(data, parts, texts)
    return pandas.DatetimeIndex(values, tz="UTC") if kind == "time" else values


# --- a table ---


def read_table(path) -> Any:
    """A data frame, or without pandas a dict of columns."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        description = read_description(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    convert = to_pandas if pandas else to_numpy if numpy else as_list
    columns = {column["name"]: convert(data, parts_of(column, description), column["texts"])
               for column in description["columns"]}
    return pandas.DataFrame(columns, copy=False) if pandas else columns
