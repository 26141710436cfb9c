"""`%load_ext cupping`, in a kernel that runs under cupping: `%%cupping` shows the runs of a cell, and
the source of cells is kept in the profile, for the report's lines of code."""

from __future__ import annotations

import asyncio
import datetime
import linecache
import os
from pathlib import Path

from . import sections
from .profile import Error, Profile
from .remote.whole_file import write_whole

NOT_PROFILED = ("cupping: this kernel is not profiled. Choose the kernel that `python -m cupping kernel install` "
                "makes, or start Jupyter with `cupping run -- jupyter lab`.")


def profile_directory() -> Path | None:
    """Where this process writes its log; None if it does not."""
    directory = os.environ.get("CUPPING_DIR")
    return Path(directory) if directory and sections.active() else None


def keep_cells(*_) -> None:
    """Writes the source of each cell that ran into the profile, once. Its name stands for its
    contents, because IPython makes it of a hash of them."""
    directory = profile_directory()
    if directory is None:
        return
    for path, entry in list(linecache.cache.items()):
        if not path.startswith("/") or os.path.exists(path) or "ipykernel" not in path:
            continue
        file = directory / "cells" / path[1:].replace("/", "-")
        if file.exists():
            continue
        try:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(file, "".join(entry[2]).encode())
        except (OSError, IndexError, TypeError):  # a full disk; an entry that is not loaded yet
            return


def runs_since(directory: Path, begin: datetime.datetime) -> list[int]:
    """Numbers of the calls of Coffea's Runner that began after that time."""
    begun = begin.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return [run["run"] for run in Profile(directory).figures["runs"] if (run["t_start"] or "") >= begun]


def awaits(shell, cell: str) -> bool:
    """The cell has an `await` outside of functions, and this kernel's event loop runs already: IPython can
    run it only if it is the whole cell, or if nest_asyncio was applied to the loop."""
    try:
        loop = asyncio.get_running_loop()
        return not hasattr(loop, "_nest_patched") and \
            shell.should_run_async(cell, transformed_cell=shell.transform_cell(cell))
    except Exception:  # no loop runs; run_cell() says what is wrong with the cell
        return False


def fail_with_one_line(result) -> None:
    """Raises the error of a cell, whose traceback IPython has shown already: so this time it shows one line."""
    error = result.error_before_exec or result.error_in_exec
    if error is None:
        return

    def one_line() -> list[str]:
        del error._render_traceback_
        return [f"{type(error).__name__}: {error} (its traceback is above)"]

    try:
        error._render_traceback_ = one_line  # IPython calls it instead of making a traceback
    except AttributeError:  # a class that permits no new attributes: the traceback is shown twice
        pass
    raise error


def show_cell(line: str, cell: str) -> None:
    """Runs a cell, then shows the profile of each run that happened in it."""
    from IPython import get_ipython
    from IPython.core.error import UsageError
    from IPython.display import display

    if awaits(get_ipython(), cell):
        raise UsageError("%%cupping: the cell was not run, because it has an `await` outside of functions: put that "
                         "into a cell without %%cupping")
    directory = profile_directory()
    begin = datetime.datetime.now(datetime.timezone.utc)
    result = get_ipython().run_cell(cell)
    keep_cells()
    if directory is None:
        print(NOT_PROFILED)
    else:
        try:
            runs = runs_since(directory, begin)
            for run in runs:
                display(Profile(directory, run))
            if not runs:
                print("cupping: no call of Coffea's Runner began in this cell. All tasks so far: "
                      "cupping.open().report()")
        except Error as error:
            print(error)
    fail_with_one_line(result)


def load(shell) -> None:
    shell.register_magic_function(show_cell, "cell", "cupping")
    shell.events.register("post_run_cell", keep_cells)
    if profile_directory() is None:
        print(NOT_PROFILED)
