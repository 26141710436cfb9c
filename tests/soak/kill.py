"""SIGKILL at random moments of processes that run tasks, fork and let their logs grow: every task that ended
before must be in the report, with its status, none twice, and every log readable, except those of processes
that were killed while they opened them.

    kill.py [--kills N] [--seed N] [--only plain|full|threads]

Kills in lots of 50, each with a profile of its own; KILLS= may be set (default 1,000). In every fifth lot the logs are
full, so that tasks are only summed up by prefix; these lots alternate between processes with one thread and with 200.
There the sums must have all tasks that the process had written to its pipe, and at most one more of each thread. Prints
a row for each lot, and one for all. Exit status 1 if a task is missing, there twice, or a log is damaged.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
sys.path.insert(0, str(TOP / "tests" / "workloads"))
import soak  # noqa: E402
from kill_job import THREADS  # noqa: E402

PYTHON = str(TOP / "build" / "venv" / "bin" / "python")
CUPPING = str(TOP / "build" / "cupping")
LOT = 50
KINDS = ["plain", "plain", "plain", "plain", "full", "plain", "plain", "plain", "plain", "threads"]  # of lots


def run_lot(folder, seed, kills, kind):
    profile, data, out = f"{folder}/profile", f"{folder}/data.root", f"{folder}/out.json"
    os.mkdir(profile)
    Path(data).write_bytes(os.urandom(100_000))
    environment = {**os.environ, "PYTHONPATH": f"{TOP}/tests/workloads", "CUPPING_DIR": profile}
    job = [PYTHON, str(TOP / "tests/workloads/kill_job.py"), data, str(seed), str(kills), out, kind]
    if kind != "plain":
        environment["CUPPING_MAX_BYTES"] = "1M"
    subprocess.run(["env", f"LD_PRELOAD={TOP}/build/libcupping.so", *job], env=environment, check=True)
    return profile, json.loads(Path(out).read_text())["rounds"]


def bytes_of(name):
    """As full_log.py reads."""
    return 1000 + int(name.split("-")[1]) % 1000


def judge_sums(profile, one, threads, counts):
    """Judges one process with a full log. When it was killed, each of its threads may have ended one task that it had
    not written to the pipe yet: of the prefix "late", because the tasks before ran earlier, in one thread."""
    folder = Path(profile) / f"of-{one['pid']}"
    folder.mkdir()
    log, = Path(profile).glob(f"*-{one['pid']}-*.cup")
    log.rename(folder / log.name)
    report = json.loads(subprocess.run([CUPPING, "report", folder, "--json", "-"], capture_output=True, check=True).stdout)
    counts.update(logs=1, damaged=report["health"]["logs_unreadable"], dropped=report["health"]["records_dropped"],
                  outside=report["health"]["blocks_dropped"])
    for prefix, most in ("early", 0), ("late", threads):
        keys = [key for key in one["keys"] if key.startswith(prefix)]
        row = next((row for row in report["tasks_by_prefix"]["rows"] if row["prefix"] == prefix), None)
        tasks, read = (row["tasks"], row["read_bytes"]) if row else (0, 0)
        more_tasks, more_bytes = tasks - len(keys), read - sum(map(bytes_of, keys))
        wrong_bytes = not 0 <= more_bytes <= most * 1999
        counts.update(missing=max(0, -more_tasks), twice=max(0, more_tasks - most), wrong_bytes=wrong_bytes)
        if not 0 <= more_tasks <= most or wrong_bytes:
            print(f"{prefix}: {tasks} tasks in the report, {len(keys)} of the job; {more_bytes} bytes too many", flush=True)


def judge_full(profile, rounds, threads):
    counts = Counter(kills=len(rounds), ended=sum(len(one["keys"]) for one in rounds))
    for one in rounds:
        judge_sums(profile, one, threads, counts)
    return counts


def judge(profile, rounds):
    """Counts: ended tasks, those missing, twice, with another status than finished or erred,
    logs, those of processes that were killed before the header was written, and damaged ones."""
    shown = subprocess.run([CUPPING, "tasks", profile, "--json", "-"], capture_output=True, text=True)
    if shown.returncode:
        raise SystemExit(f"cupping tasks: {shown.stderr}")
    rows = json.loads(shown.stdout)
    rows = rows["tasks"] if isinstance(rows, dict) else rows
    statuses, times = {row["key"]: row["status"] for row in rows}, Counter(row["key"] for row in rows)
    keys = [key for one in rounds for key in one["keys"]]
    logs = list(Path(profile).glob("*.cup"))
    opened = [log for log in logs if log.read_bytes()[:7] == b"CUPPING"]
    report = json.loads(subprocess.run([CUPPING, "report", profile, "--json", "-"], capture_output=True, check=True).stdout)
    dumps = [subprocess.run([CUPPING, "dump", log], capture_output=True, text=True) for log in opened]
    for dump in dumps:
        if dump.returncode or dump.stderr:
            print(f"status {dump.returncode}: {dump.stderr.strip()}", flush=True)
    return Counter(
        kills=len(rounds),
        ended=len(keys),
        missing=sum(key not in statuses for key in keys),
        twice=sum(count > 1 for count in times.values()),
        unended=sum(statuses.get(key) not in ("finished", "erred", None) for key in keys),
        logs=len(logs),
        unopened=len(logs) - len(opened),
        damaged=sum(bool(dump.returncode or dump.stderr) for dump in dumps) + report["health"]["logs_unreadable"],
    )


def try_lot(seed, kills, kind):
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cupping-kill-") as folder:
        profile, rounds = run_lot(folder, seed, kills, kind)
        counts = judge(profile, rounds) if kind == "plain" else judge_full(profile, rounds, THREADS if kind == "threads" else 1)
    soak.append("kill", seed, rounds=counts["kills"], tasks=counts["ended"], wrong=counts["twice"] + counts["unended"] + counts["wrong_bytes"],
                missing=counts["missing"], lost=counts["damaged"], seconds=round(time.monotonic() - start))
    print(kind, *(f" {name} {counts[name]}" for name in counts), flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=int(os.environ.get("KILLS", "1000")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(set(KINDS)))
    options = parser.parse_args()
    total = Counter(kills=0)
    for lot in range(-(-options.kills // LOT)):
        if not soak.done("kill", options.seed + lot):
            kind = options.only or KINDS[lot % len(KINDS)]
            total += try_lot(options.seed + lot, min(LOT, options.kills - lot * LOT), kind)
    print("all: " + "  ".join(f"{name} {total[name]}" for name in total))
    return 1 if total["missing"] or total["twice"] or total["unended"] or total["damaged"] or total["wrong_bytes"] else 0


if __name__ == "__main__":
    sys.exit(main())
