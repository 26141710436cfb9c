"""Compares the tables of `import cupping` with the CSV files of the same profile, cell by cell, and
runs the examples of its documentation.

    check_package.py COMMAND PROFILE SCRATCH     COMMAND: build/cupping

What is there of pandas and numpy is used; the last line names it.
"""

import csv
import datetime
import doctest
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

import cupping  # noqa: E402
import cupping.profile  # noqa: E402

early = {"numpy", "pandas"} & sys.modules.keys()  # before a table is read

import cupping.columns as columns  # noqa: E402

UTC = datetime.timezone.utc


def is_missing(cell):
    if columns.pandas is not None:
        return bool(columns.pandas.isna(cell))
    if columns.numpy is not None and isinstance(cell, (columns.numpy.timedelta64, columns.numpy.datetime64)):
        return bool(columns.numpy.isnat(cell))
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def number_of(cell):
    """A cell as a number: seconds of durations, seconds since 1970 of times."""
    numpy, pandas = columns.numpy, columns.pandas
    if pandas is not None and isinstance(cell, (pandas.Timedelta, pandas.Timestamp)):
        return cell.value / 1e9
    if numpy is not None and isinstance(cell, (numpy.timedelta64, numpy.datetime64)):
        return int(cell.astype("int64")) / 1e9
    return float(cell)


def same(text, cell):
    """TEXT: of the CSV file, where nothing is an empty field."""
    if text == "":
        return is_missing(cell) or cell == ""
    if is_missing(cell):
        return False
    if isinstance(cell, str):
        return text == cell
    if text in ("true", "false"):
        return bool(cell) == (text == "true")
    if text.endswith("Z"):
        moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        return abs(number_of(cell) - moment.timestamp()) < 2e-6
    return math.isclose(float(text), number_of(cell), rel_tol=1e-15, abs_tol=1e-9)


def compare(name, file, table):
    rows = list(csv.reader(file))
    names, rows = rows[0], rows[1:]
    assert list(table) == names, f"{name}: {list(table)}, not {names}"
    cells = 0
    for place, column in enumerate(names):
        values = list(table[column])
        assert len(values) == len(rows), f"{name}.{column}: {len(values)} rows, not {len(rows)}"
        for row, value in zip(rows, values):
            assert same(row[place], value), f"{name}.{column}: {value!r}, not {row[place]}"
            cells += 1
    return cells


def expect_error(act, *words):
    try:
        act()
    except (cupping.Error, ValueError) as error:
        assert all(word in str(error) for word in words), error
        assert "\n" not in str(error), error
    else:
        raise AssertionError(f"no error with {words}")


def check_errors(profile, scratch):
    expect_error(lambda: cupping.open(scratch / "nowhere"), "nowhere")
    expect_error(lambda: cupping.open(scratch / "csv"), "holds no logs")
    expect_error(lambda: cupping.open(profile.directory, run=9), "--run 9")
    expect_error(lambda: profile.table("task"), "no table is called task")
    expect_error(lambda: profile.plot("time-budgets"), "time-budget")
    file = scratch / "columns" / "tasks.columns"
    whole = file.read_bytes()
    for length in (0, 20, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        expect_error(lambda: columns.read_table(file), "tasks.columns", "not all of it")


def check_laziness(profile):
    """What open() does must not depend on how many tasks there are, nor wait for pandas."""
    assert not early, f"imported with cupping.profile: {early}"
    assert repr(profile) == f"<cupping profile of {profile.directory}>" and not profile._kept
    assert profile.advice is profile.figures["advice"] and "rows" not in profile.figures["chunks"]
    assert list(profile._kept) == ["figures"] and "rows" in profile.json["chunks"]
    assert not profile.refresh()._kept


def check_merged(command, directory, scratch, profile):
    """A merged log is opened, and shown by `cupping top`, as the logs that it holds."""
    merged = scratch / "merged.cup"
    subprocess.run([command, "merge", directory, "-o", merged], check=True, stderr=subprocess.DEVNULL)
    assert {**cupping.open(merged).json, "profile": None} == {**profile.json, "profile": None}
    screens = [subprocess.run([command, "top", "--once", place], check=True, capture_output=True, text=True).stdout
               for place in (directory, merged)]
    assert screens[0].splitlines()[1:] == screens[1].splitlines()[1:], screens
    assert "2,998 done" in screens[1], screens


def expect_warnings(act, *texts):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    said = [str(warning.message) for warning in caught]
    assert len(said) == len(texts) and all(text in line for text, line in zip(texts, said)), said
    assert all(warning.filename == __file__ for warning in caught), [warning.filename for warning in caught]


def check_warnings(command, directory, scratch, profile):
    """What the command says on standard error is a warning at the line that asked, once for each profile."""
    expect_warnings(lambda: profile.refresh().tasks)
    summed = scratch / "summed.cup"
    subprocess.run([command, "merge", directory, "-o", summed, "--per-prefix"], check=True, stderr=subprocess.DEVNULL)
    for _ in range(2):
        again = cupping.open(summed)
        expect_warnings(lambda: again.tasks, "are summed up by prefix")
        expect_warnings(lambda: (again.chunks, again.refresh().tasks, again.figures))
    damaged = scratch / "damaged"
    damaged.mkdir()
    for log in Path(directory).glob("*.cup"):
        (damaged / log.name).symlink_to(log.resolve())
    (damaged / "worker-1-1700000000000000000.cup").write_bytes(b"no log")
    expect_warnings(lambda: cupping.open(damaged).report(), "worker-1-1700000000000000000.cup")


def main():
    command, directory, scratch = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    os.environ["PATH"] = f"{Path(command).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    for format in ("csv", "columns"):
        subprocess.run([command, "export", directory, "--to", format, "-o", scratch / format], check=True)
    profile, cells = cupping.open(directory), 0
    check_laziness(profile)
    for name in cupping.profile.TABLES:
        with open(scratch / "csv" / f"{name}.csv", newline="", encoding="utf-8") as file:
            cells += compare(name, file, getattr(profile, name))
    assert cells > 100_000, cells
    for text in (profile.report(), profile.report("tasks"), profile.report(full=True)):
        assert "\x1b" not in text and "\x1b" not in text._repr_html_()
    assert profile._repr_html_().count("<img") == 1
    if columns.pandas is not None:
        failed, tried = doctest.testmod(cupping.profile, extraglobs={"profile": profile})
        assert tried > 3 and not failed
    check_errors(profile, scratch)
    check_merged(command, directory, scratch, profile)
    check_warnings(command, directory, scratch, profile)
    print(cells, "cells are the same;", "pandas" if columns.pandas else "numpy" if columns.numpy else "neither")


if __name__ == "__main__":
    main()
