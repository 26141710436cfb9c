"""Runs the scripts of tests/soak/ one after the other, and prints one table of what they found: `make soak`.

    soak.py [NAME...]     only these scripts, such as battery or kill

build/soak.csv has a row for each part of a script, such as a cluster of the battery or a lot of kills; a script
without parts, or one that failed, has a row of its own. A row is appended when its part ends, so an interrupted
soak goes on where it stopped: what has a row of this commit is not run again, unless it failed or was skipped. All
states of a changed checkout count as one commit: remove the file after a change.

A script that lacks something on this machine ends with status 77, and is counted as skipped, not as a round.

Exit status 1 if a script failed, or if anything in the table is wrong, missing, lost or frozen; 130 if it was
interrupted.
"""

import csv
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
RESULTS = TOP / "build" / "soak.csv"
COUNTS = ("rounds", "tasks", "wrong", "missing", "lost", "frozen", "failed", "skipped", "seconds")
FAULTS = ("wrong", "missing", "lost", "frozen", "failed")
COLUMNS = ("commit", "step", "part", "python", *COUNTS, "ended")
WHOLE = "whole"  # the part that stands for a script
SKIPPED = 77  # exit status of a script that could not run, or not all of it, on this machine
RUNS = "CUP_SOAK"  # set for scripts that run in a soak; others leave no rows


def commit():
    """The commit, with a mark if the checkout differs from it; what was built from it is not checked."""
    command = ["git", "-C", str(TOP), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def append(step, part, python="", **counts):
    """In a soak, appends a row with one write, because several parts may run at the same time."""
    if RUNS not in os.environ:
        return
    RESULTS.parent.mkdir(exist_ok=True)
    row = {"commit": commit(), "step": step, "part": part, "python": python, **dict.fromkeys(COUNTS, 0), **counts,
           "ended": time.strftime("%Y-%m-%d %H:%M")}
    with open(RESULTS, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if file.tell() == 0:
            writer.writeheader()
        writer.writerow(row)


def rows():
    """The rows of this commit: {(step, part, python): row}, of each the last one."""
    if not RESULTS.exists():
        return {}
    mine = commit()
    with open(RESULTS, newline="") as file:
        return {(row["step"], row["part"], row["python"]): row
                for row in csv.DictReader(file, COLUMNS) if row["commit"] == mine}


def done(step, part, python=""):
    """In a soak: whether the part has a row, did not fail, and was not left out as a whole. One that found wrong bytes
    is done, too: its row must stay."""
    row = rows().get((step, str(part), python)) if RUNS in os.environ else None
    return row is not None and row["failed"] == "0" and (row["skipped"] == "0" or row["rounds"] != "0")


def run_script(script):
    """Leaves a row for the script itself if it has no parts, or fails. Parts know on their own what is done."""
    step, start = script.stem, time.monotonic()
    print(f"== {script.relative_to(TOP)}", flush=True)
    command = [sys.executable if script.suffix == ".py" else "sh", str(script)]
    status = subprocess.run(command, cwd=TOP).returncode
    failed, skipped = status not in (0, SKIPPED), status == SKIPPED
    parts = {row["part"] for row in rows().values() if row["step"] == step}
    if failed or skipped or parts <= {WHOLE}:
        append(step, WHOLE, rounds=int(parts <= {WHOLE} and not skipped), failed=int(failed), skipped=int(skipped),
               seconds=0 if parts else round(time.monotonic() - start))
    elif WHOLE in parts:
        append(step, WHOLE)


def run_scripts(names):
    for script in sorted([*TOP.glob("tests/soak/*.sh"), *TOP.glob("tests/soak/*.py")]):
        if (not names or script.stem in names) and not done(script.stem, WHOLE):
            run_script(script)


def sums():
    """{(step, python): Counter}"""
    table = {}
    for (step, part, python), row in rows().items():
        counts = table.setdefault((step, python), Counter(parts=0))
        counts.update({name: int(float(row[name] or 0)) for name in COUNTS})
        counts["parts"] += part != WHOLE
    return table


def show():
    """Prints the table; returns the number of faults."""
    columns = ("parts", *COUNTS)
    print(f"\ncommit {commit()}\n{'step':14}{'Python':8}" + "".join(f"{name:>10}" for name in columns))
    faults = 0
    for (step, python), counts in sorted(sums().items()):
        print(f"{step:14}{python:8}" + "".join(f"{counts[name]:10,d}" for name in columns))
        faults += sum(counts[name] for name in FAULTS)
    print(f"{faults:,d} faults; all rows: {RESULTS.relative_to(TOP)}", flush=True)
    return faults


def main():
    os.environ[RUNS] = "1"
    try:
        run_scripts(sys.argv[1:])
    except KeyboardInterrupt:
        print("\ninterrupted; the next soak goes on here")
        show()
        return 130
    return 1 if show() else 0


if __name__ == "__main__":
    sys.exit(main())
