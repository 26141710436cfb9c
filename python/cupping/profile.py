"""A profile, through the command `cupping`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable

from . import shown

TABLES = ("tasks", "chunks", "files", "branches", "workers", "opens", "samples", "functions",
          "native", "sections", "values")


class Error(RuntimeError):
    """What the command `cupping` could not do, in its own words."""


own_command = ""  # the command that started this Python, for a verb that needs Dask


def find_program(name: str) -> str | None:
    """The program NAME of the installation of this package: in a checkout, below a prefix, or of a wheel (also after
    `pip install --user` or `--target`). Else the one of this Python, or the first on the path."""
    packages = Path(__file__).resolve().parents[1]
    places = [packages.parent / "build", packages.parent / "wrappers", packages.parent.parent.parent / "bin",
              packages / "bin", Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    found = shutil.which(name, path=os.pathsep.join(map(str, places))) or shutil.which(name)
    return found and str(Path(found).absolute())


def find_command() -> str:
    """The command of the same installation, else the first on the path."""
    if own_command:
        return own_command
    command = find_program("cupping")
    if not command:
        raise Error("the command cupping was not found: install cupping here, or put it on PATH")
    return command


def complete_command(*words) -> subprocess.CompletedProcess[bytes]:
    """`cupping WORD...`, which succeeded, and what it printed. The command itself is not profiled."""
    environment = {name: text for name, text in os.environ.items()
                   if name != "LD_PRELOAD" and not name.startswith("CUPPING_")}
    done = subprocess.run([find_command(), *map(str, words)], env=environment, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise Error(said or f"cupping {words[0]} ended with status {done.returncode}")
    return done


def run_command(*words) -> bytes:
    """Standard output of `cupping WORD...`."""
    return complete_command(*words).stdout


def warn(text: str) -> None:
    """A warning about the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


class Profile:
    """The logs of a directory, and what they say about one run.

    Figures and tables are read when they are first used, and kept: `refresh()` forgets them, for a
    job that still runs. With pandas (here of a run with 3,000 tasks on two workers):

    >>> tasks = profile.tasks
    >>> len(tasks), tasks.worker.nunique()
    (3000, 2)
    >>> tasks.start.dtype, tasks.wall_s.dtype, tasks.prefix.dtype.name
    (datetime64[ns, UTC], dtype('<m8[ns]'), 'category')
    >>> tasks.wall_s.median() > tasks.cpu_s.median()
    True
    >>> profile.metrics["branches"]["baskets"]
    105000
    >>> profile.advice[0].keys()
    dict_keys(['rule', 'text', 'action', 'saves_s', 'saves_bytes'])
    >>> profile.plot("task-stream")
    <cupping plot task-stream>
    """

    def __init__(self, directory: str | os.PathLike | None = None, run: int | str | None = None):
        words = [os.fspath(directory)] if directory is not None else []
        self._run = [] if run is None else ["--run", str(run)]
        path = run_command("report", *words, *self._run, "--path")
        self.directory = Path(os.fsdecode(path[:-1]))
        self._words = [self.directory]
        self._kept: dict[str, Any] = {}
        self._warned: set[str] = set()

    def _run_verb(self, verb: str, *words) -> bytes:
        """Standard output of a verb for this profile. A line on standard error, such as that a log cannot be read,
        becomes a warning, once."""
        done = complete_command(verb, *self._words, *self._run, *words)
        lines = done.stderr.decode(errors="replace").splitlines()
        new = [line for line in dict.fromkeys(lines) if line not in self._warned]
        self._warned.update(new)
        if new:
            warn("\n".join(new))
        return done.stdout

    def _keep(self, name: str, read: Callable[[], Any]) -> Any:
        if name not in self._kept:
            self._kept[name] = read()
        return self._kept[name]

    def _read_report(self, *words: str) -> dict:
        report = json.loads(self._run_verb("report", "--json", "-", *words))
        if "completeness" not in report:
            raise Error(f"{self.directory} is a measurement of roastcoffea, which Python cannot open: use `cupping report` or `cupping compare`")
        return report

    def refresh(self) -> Profile:
        """Reads the logs again when something is asked for."""
        self._kept.clear()
        return self

    # --- figures ---

    @property
    def json(self) -> dict[str, Any]:
        """All of `cupping report --json`, with a row for each chunk."""
        return self._keep("report", self._read_report)

    @property
    def figures(self) -> dict[str, Any]:
        """The same without the tables that have a row for each task or chunk."""
        return self._keep("figures", lambda: self._read_report("--without-tasks"))

    @property
    def run(self) -> int | str:
        """The number of the run, or "all"."""
        return self.figures["run"]

    @property
    def summary(self) -> dict[str, Any]:
        """Whether the run is complete, and its figures as a whole. Times are in seconds, None is not
        known."""
        return {"state": self.figures["completeness"]["state"],
                "sentence": self.figures["completeness"]["sentence"], **self.figures["workflow"]}

    @property
    def advice(self) -> list[dict[str, Any]]:
        """What to do first, then what else was found: rule, text, action, what can be saved."""
        return self.figures["advice"]

    @property
    def metrics(self) -> dict[str, Any]:
        """All figures that are one value: {section: {metric: value}}."""
        return {section: {name: value for name, value in figures.items()
                          if not isinstance(value, (dict, list))}
                for section, figures in self.figures.items()
                if isinstance(figures, dict) and section != "sources"}

    # --- tables ---

    def table(self, name: str) -> Any:
        """The table of `cupping export --to csv` with that name."""
        if name not in TABLES:
            raise Error(f"no table is called {name}; there are {', '.join(TABLES)}")
        return self._keep(f"table {name}", lambda: self._read_table(name))

    def _read_table(self, name: str) -> Any:
        from . import columns  # which imports pandas: half a second that `cupping attach` does not need

        with tempfile.TemporaryDirectory(prefix="cupping-") as scratch:
            self._run_verb("export", "--to", "columns", "--only", name, "-o", f"{scratch}/to")
            return columns.read_table(f"{scratch}/to/{name}.columns")

    # --- texts and pictures ---

    def report(self, section: str | None = None, *, full: bool = False) -> shown.Text:
        """The report as text: its first screen, or the section with that name, or all of it."""
        words = ["--only", section] if section else ["--full"] if full else []
        text = self._run_verb("report", *words, "--color", "always")
        return shown.Text(text.decode(errors="replace"))

    def plot(self, name: str, *, dark: bool = False) -> shown.Picture:
        """One of the plots that `cupping plot --list` lists, such as "time-budget"."""
        with tempfile.TemporaryDirectory(prefix="cupping-") as scratch:
            self._run_verb("plot", name, "-o", scratch, "--format", "svg", *["--dark"] * dark)
            return shown.Picture(name, (Path(scratch) / f"{name}.svg").read_bytes())

    def save_page(self, path: str | os.PathLike) -> None:
        """Writes the page of `cupping plot --html`."""
        self._run_verb("plot", "--html", os.fspath(path))

    def __repr__(self) -> str:
        return f"<cupping profile of {self.directory}>"

    def _repr_html_(self) -> str:
        parts = [self.report()._repr_html_()]
        try:
            parts.append(self.plot("time-budget")._repr_html_())
        except Error:  # nothing to draw: the text says why
            pass
        return "".join(parts)


def _add_table(name):
    def get(self):
        return self.table(name)

    get.__doc__ = f"The table `{name}` of `cupping export --to csv`."
    setattr(Profile, name, property(get))


for _name in TABLES:
    _add_table(_name)
