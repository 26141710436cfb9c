"""Reads the tables of `cupping export --to columns`.

analysis/write/column_writer.h describes the files. With pandas a table is a data frame, with numpy
alone a dict of arrays, otherwise a dict of lists.
"""

from __future__ import annotations

import array
import json
import struct
from pathlib import Path
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
MOST_CATEGORIES = 10_000  # beyond, a column of which most rows differ has plain texts


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


def fill_part(values: Any, data: bytes, part: Part) -> None:
    """Writes a part into its rows of the column."""
    if part.kind is None:
        return
    if part.width == 0:
        values[:] = numpy.array(part.base, numpy.uint64 if part.base > 2**63 - 1 else numpy.int64)
        return
    stored = numpy.frombuffer(data, "<f8" if part.kind == "real" else f"<u{part.width}", part.rows,
                              part.offset)
    if part.kind == "real" or values.dtype.kind == "f":
        values[:] = stored
        values += part.base
    else:  # modulo 2**64, so that a negative base is right
        numpy.add(stored, part.base % 2**64, out=values.view(f"u{values.itemsize}"),
                  casting="unsafe", dtype=f"u{values.itemsize}")


def array_type(parts: list[Part], kind: str | None) -> str:
    """The type that holds all values of a column."""
    if kind == "real":
        return "f8"
    if kind == "text":
        return "i4"
    most = max((part.base + 2 ** (8 * part.width) for part in parts if part.kind == "count"), default=0)
    return "u8" if most > 2**63 and kind == "count" else "i8"


def missing_rows(data: bytes, parts: list[Part], rows: int) -> Any:
    """Where a column has no values; None: every row has one."""
    if not any(part.nulls or part.kind is None for part in parts):
        return None
    missing, row = numpy.zeros(rows, bool), 0
    for part in parts:
        if part.nulls:
            missing[row : row + part.rows] = numpy.frombuffer(data, "u1", part.rows, part.nulls)
        elif part.kind is None:
            missing[row : row + part.rows] = True
        row += part.rows
    return missing


def as_arrays(data: bytes, parts: list[Part], kind: str | None) -> tuple[Any, Any]:
    """All values as one array, and where there are none (None: nowhere)."""
    rows, row = sum(part.rows for part in parts), 0
    values = numpy.zeros(rows, array_type(parts, kind))
    for part in parts:
        some = values[row : row + part.rows]
        fill_part(some, data, part)
        if kind == "real" and part.kind in ("seconds", "time"):
            some /= 1e9
        row += part.rows
    if kind == "count" and values.dtype == "u8" and values.max(initial=0) < 2**63:
        values = values.view("i8")
    return values, missing_rows(data, parts, rows)


def texts_of(codes: Any, missing: Any, texts: list[str]) -> Any:
    values = numpy.array([*texts, None], object)[codes]
    if missing is not None:
        values[missing] = None
    return values


def to_numpy(data: bytes, parts: list[Part], texts: list[str]) -> Any:
    """Times as datetime64, durations as timedelta64, texts as objects; numbers with gaps as floats."""
    kind = common_kind(parts)
    if kind == "text" and any(part.kind not in ("text", None) for part in parts):
        return numpy.array(as_list(data, parts, texts), object)
    values, missing = as_arrays(data, parts, kind)
    if kind == "text":
        return texts_of(values, missing, texts)
    if kind in ("seconds", "time"):
        if missing is not None:
            values[missing] = NOT_A_TIME
        return values.view("timedelta64[ns]" if kind == "seconds" else "datetime64[ns]")
    if missing is not None:
        values = values.astype(float)
        values[missing] = numpy.nan
        return values
    return values.astype(bool) if kind == "bool" else values


def to_pandas(data: bytes, parts: list[Part], texts: list[str]) -> Any:
    """Texts as categories unless most rows differ, times in UTC, whole numbers with gaps as Int64."""
    kind = common_kind(parts)
    if kind == "text" and all(part.kind in ("text", None) for part in parts):
        values, missing = as_arrays(data, parts, kind)
        if len(texts) > MOST_CATEGORIES and 2 * len(texts) > len(values):
            return pandas.Series(texts_of(values, missing, texts), dtype=object, copy=False)
        if missing is not None:
            values[missing] = -1
        return pandas.Categorical.from_codes(values, texts)
    if kind in ("count", "signed", "bool"):
        values, missing = as_arrays(data, parts, kind)
        if missing is not None and kind == "bool":
            return pandas.arrays.BooleanArray(values.astype(bool), missing)
        if missing is not None:
            return pandas.arrays.IntegerArray(values, missing)
    values = to_numpy(data, parts, texts)
    return pandas.DatetimeIndex(values, tz="UTC") if kind == "time" else values


# --- a table ---


def read_table(path) -> Any:
    """A data frame, or without pandas a dict of columns."""
    data = Path(path).read_bytes()
    try:
        description = read_description(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    convert = to_pandas if pandas else to_numpy if numpy else as_list
    columns = {column["name"]: convert(data, parts_of(column, description), column["texts"])
               for column in description["columns"]}
    return pandas.DataFrame(columns, copy=False) if pandas else columns
