"""The matrix of releases: the oldest and the newest Python, Coffea and Dask, and each release where
docs/releases.md names a change. Each row has an environment (kept below build/versions), in which one
real job and one round of the battery run. Prints one table.

    versions.py [--rows WORD,WORD] [--again] [--write]

Rows that were run with this very build of cupping are not run again, unless --again. --write puts the
table into docs/releases.md. Exit status 1 if a figure is wrong; a row that cannot be had is named.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "workloads"))

import cluster  # noqa: E402
from cluster import Process, Stop, say  # noqa: E402

HOME = TOP / "build" / "versions"
PAGE = TOP / "docs" / "releases.md"
BEGIN, END = "<!-- tests/soak/versions.py writes this table -->\n", "<!-- end of the table -->\n"


class Row(NamedTuple):
    python: str
    coffea: str
    dask: str
    under: str = ""  # an environment that has all but this row's Dask and Coffea
    more: tuple = ()  # requirements of an environment of its own
    refused: str = ""  # the package that is older than the oldest that is supported

    def name(self):
        return "-".join([self.python, self.coffea, self.dask])


OLD, LATE = "build/venv-2022.1", "build/venv-2024.2"  # made by tests/setup.sh
ROWS = [
    Row("3.9", "0.7.22", "2021.12.0", OLD, refused="distributed"),
    Row("3.9", "0.7.21", "2022.1.0", OLD, refused="coffea"),
    Row("3.9", "0.7.22", "2022.1.0", OLD),
    Row("3.9", "0.7.22", "2022.3.0", OLD),
    Row("3.9", "0.7.22", "2022.7.0", OLD),
    Row("3.9", "0.7.22", "2022.11.0", OLD),
    Row("3.9", "0.7.22", "2023.2.0", OLD),
    Row("3.9", "0.7.22", "2023.3.1", OLD),
    Row("3.9", "0.7.22", "2023.3.2", OLD),
    Row("3.9", "0.7.22", "2023.6.0", OLD),
    Row("3.9", "0.7.22", "2024.8.0", OLD),
    Row("3.10", "0.7.31", "2024.3.0", more=("setuptools<80", "zstandard")),
    Row("3.11", "2023.12.0", "2023.12.0", more=(
        "setuptools<80", "zstandard", "awkward==2.5.1", "dask-awkward==2023.12.2", "numpy<2", "pandas<3",
        "pyarrow==21.0.0", "uproot==5.2.0")),
    Row("3.11", "0.7.30", "2024.2.1", LATE),
    Row("3.11", "0.7.31", "2024.10.0", LATE),
    Row("3.11", "0.7.31", "2024.11.0", LATE),
    Row("3.12", "2024.11.0", "2024.8.2", more=(
        "setuptools<80", "zstandard", "pytz", "awkward==2.6.9", "dask-awkward==2024.9.0", "uproot==5.4.1")),
    Row("3.12", "2025.7.3", "2025.3.0", more=("zstandard",)),
    Row("3.11", "2026.9.0", "2026.8.0", "build/venv"),
    Row("3.13", "2026.9.0", "2026.8.0", "build/venv-3.13"),
    Row("3.14", "2026.9.0", "2026.8.0", "build/venv-3.14"),
]


# --- environments ----------------------------------------------------------------------------------

FACTS = """import importlib.metadata as m, sys
print(*sys.version_info[:2], sep='.')
print(*(m.version(name) for name in ('coffea', 'distributed')))"""


def output(*command):
    if not shutil.which(command[0]):
        return []
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return result.stdout.split() if result.returncode == 0 else []


def has(row, python):
    return output(python, "-c", FACTS) == [row.python, row.coffea, row.dask]


def find_python(version):
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for python in (f"python{version}", *sorted(pyenv.glob(f"{version}.*/bin/python3"))):
        if output(python, "-c", "import ensurepip, sys; print(*sys.version_info[:2], sep='.')") == [version]:
            return python
    raise Stop(f"no Python {version} here")


def install(row, base, directory, log):
    """An environment whose packages are those of BASE, but for Coffea and Dask; or one of its own."""
    subprocess.run([base or find_python(row.python), "-m", "venv", directory], check=True, stdout=log,
                   stderr=log)
    if base:
        site, = directory.glob("lib/python*/site-packages")
        below, = base.parent.parent.glob("lib/python*/site-packages")
        (site / "base.pth").write_text(f"{below.resolve()}\n")
    named = [f"coffea=={row.coffea}", f"dask[dataframe]=={row.dask}", f"distributed=={row.dask}"]
    # What BASE has in the same release is installed again, for its programs.
    words = [[*named, *row.more]] + [["--no-deps", "--ignore-installed", *named]] * bool(base)
    return all(subprocess.run(
        [directory / "bin" / "python", "-m", "pip", "install", "--no-input", "--disable-pip-version-check",
         "--progress-bar", "off", *each], stdout=log, stderr=log).returncode == 0 for each in words)


def environment(row):
    """The interpreter of the row's environment, which is made if it is missing."""
    base = TOP / row.under / "bin" / "python" if row.under else None
    if base and not base.exists():
        raise Stop(f"no {row.under}")
    if base and has(row, base):
        return base
    directory, log = HOME / row.name(), HOME / f"{row.name()}.log"
    python = directory / "bin" / "python"
    if not has(row, python):
        say(f"installing {row.name()}")
        shutil.rmtree(directory, ignore_errors=True)
        with open(log, "w", encoding="utf-8") as file:
            done = install(row, base, directory, file)
        if not done or not has(row, python):
            errors = re.findall(r"^ERROR: (.*)", log.read_text(), re.M) or ["see the log"]
            raise Stop(f"pip: {errors[0]}")
    return python


# --- a row -----------------------------------------------------------------------------------------

def run_job(python, directory, files):
    """A scheduler, a nanny's worker and a client, all under cupping."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    Process.directory = directory
    profile, out, scheduler_file = directory / "profile", directory / "out.json", directory / "s.json"
    cupping = [TOP / "wrappers" / "cupping-run", "-o", profile, "--"]
    scheduler = Process("scheduler", [
        *cupping, *cluster.dask(python, "scheduler"), "--host", "127.0.0.1", "--port", "0",
        "--no-dashboard", "--scheduler-file", scheduler_file], directory)
    address = cluster.scheduler_address(scheduler_file, scheduler)
    worker = Process("worker", [
        *cupping, *cluster.dask(python, "worker"), address, "--no-dashboard", "--nthreads", "2",
        "--nanny", "--memory-limit", "0", "--local-directory", directory / "scratch",
        "--death-timeout", "60"], directory)
    job = Process("job", [*cupping, python, TOP / "tests" / "workloads" / "releases_job.py", address, out,
                          files], directory)
    job.wait(600)
    worker.finish(300)
    scheduler.finish(300)
    return profile, json.loads(out.read_text())


def cupping_json(verb, profile, *options):
    path = profile.parent / f"{verb}.json"
    subprocess.run([TOP / "build" / "cupping", verb, profile, *options, "--json", path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(path.read_text())


def count_right(rows, expected):
    """How many tasks have the outcome that they had, and how many there were."""
    right = total = 0
    for prefix, outcomes in expected.items():
        for status, number in outcomes.items():
            found = sum(row["prefix"] == prefix and row["status"] == status for row in rows)
            right += number - abs(number - found)
            total += number
    return right, total


def judge_refused(row, profile):
    """Nothing is recorded that may be wrong, and the first page says why."""
    version = {"distributed": row.dask, "coffea": row.coffea}[row.refused]
    page = subprocess.check_output([TOP / "build" / "cupping", "report", profile], text=True)
    found = cupping_json("tasks", profile)["tasks"]
    if row.refused == "coffea":
        found = [task for task in found if task["entry_start"] is not None]
    named = f"{row.refused} {version} is too old" in page
    verdict = "is refused" if named and not found else "IS NOT REFUSED"
    return {"cells": {"tasks": f"{row.refused} {verdict}"}, "good": named and not found}


def judge(profile, out):
    """{heading: text}, and whether all of it is as it was."""
    rows = cupping_json("tasks", profile)["tasks"]
    report = cupping_json("report", profile, "--run", "all")
    right, total = count_right(rows, out["tasks"])
    found, metrics = report["completeness"], out["metrics"]
    baskets, check = report["branches"]["distinct_bytes"], report["attribution"]["kernel_check"]
    share, unseen = report["attribution"]["share_attributed"], check["difference_pct"]
    good = right == total and baskets == out["basket_bytes"] and abs(unseen) <= 1 and share > 0.99
    chunks = "no Runner"
    if metrics:
        good &= (found["done_chunks"], found["done_events"]) == (metrics["chunks"], metrics["entries"])
        chunks = f"{found['done_chunks']} of {metrics['chunks']}"
    return {
        "tasks": f"{right} of {total}",
        "chunks": chunks,
        "baskets, bytes": f"{baskets:,d} of {out['basket_bytes']:,d}",
        "kernel saw": f"{unseen:+.2f} %",
        "attributed": f"{100 * share:.1f} %",
        "off": ", ".join(feature["feature"] for feature in report["health"]["features_off"]) or "none",
    }, good


def run_battery(python, directory):
    result = subprocess.run(
        [sys.executable, TOP / "tests" / "workloads" / "battery.py", "--python", python, "--directory",
         directory], capture_output=True, text=True)
    directory.with_suffix(".log").write_text(result.stdout + result.stderr)
    total = re.search(r"^all +([\d,]+) +([\d,]+) ", result.stdout, re.M)
    if not total:
        return f"not run: {(result.stderr.strip().splitlines() or ['no output'])[-1]}", False
    return f"{total[2]} of {total[1]} wrong", result.returncode == 0


def run_row(row, files):
    python, directory = environment(row), HOME / f"{row.name()}.run"
    profile, out = run_job(python, directory, files)
    if row.refused:
        return judge_refused(row, profile)
    cells, good = judge(profile, out)
    cells["battery"], battery_is_good = run_battery(python, directory / "battery")
    return {"cells": cells, "good": good and battery_is_good}


# --- the table -------------------------------------------------------------------------------------

def format_table(results):
    """RESULTS: {row: what run_row() returned, or the reason why the row was not run}"""
    headings = max((list(result["cells"]) for result in results.values() if isinstance(result, dict)),
                   key=len, default=[])
    lines = [["Python", "Coffea", "Dask", *headings], ["---"] * (3 + len(headings))]
    for row, result in results.items():
        cells = result["cells"] if isinstance(result, dict) else {}
        rest = [cells.get(heading, "") for heading in headings] if cells else [f"not run: {result}"]
        lines.append([row.python, row.coffea, row.dask, *rest])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_page(table):
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + f"Run on {time.strftime('%Y-%m-%d')}:\n\n" + table + text[end:])


def state_of_build():
    """Another value for each build of cupping, and for other workloads."""
    files = [TOP / "build" / "libcupping.so", TOP / "build" / "cupping", *TOP.glob("tests/workloads/b*.py"),
             *TOP.glob("tests/workloads/r*.py")]
    return sum(zlib.crc32(file.read_bytes()) for file in files)


def result_of(row, args, files):
    kept, state = HOME / f"{row.name()}.json", state_of_build()
    if kept.exists() and not args.again:
        result = json.loads(kept.read_text())
        if result["state"] == state:
            return result
    try:
        result = {**run_row(row, files), "state": state}
    except Stop as why:
        Process.end_all()
        return re.sub(f"{TOP}/", "", str(why).splitlines()[-1])
    kept.write_text(json.dumps(result))
    return result


def run(args):
    HOME.mkdir(parents=True, exist_ok=True)
    inputs = HOME / "files"
    subprocess.run([sys.executable, TOP / "tests" / "workloads" / "mktree.py", inputs, "--events", "30000"],
                   check=True)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    results = {}
    for row in ROWS:
        if not args.rows or any(word in row.name() for word in args.rows.split(",")):
            results[row] = result_of(row, args, inputs / "files.json")
            say(f"{row.name()}: {results[row]}")
    table = format_table(results)
    print(table)
    if args.write:
        write_page(table)
    return 1 if any(isinstance(result, dict) and not result["good"] for result in results.values()) else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="", help="only rows whose names contain one of these words")
    parser.add_argument("--again", action="store_true", help="also rows that this build has run")
    parser.add_argument("--write", action="store_true", help="put the table into docs/releases.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(cluster.guarded("versions", run, arguments()))
