"""How fast the logs of an ordinary cluster grow: an hour of Coffea jobs, default switches.

    log_growth.py [--duration 3600] [--workers 1] [--threads 2] [--task-s 12] [--chunksize 12500] [-o DIR]

One job after the other (tests/workloads/paced_job.py) on one scheduler and workers with nannies; every
other job brings its processor's code along, as a notebook does. Each minute it looks at the logs.
Printed are each process's bytes by record type: what was there when the first job ended, which stays
the same however long a worker lives, and what came afterwards, an hour of it. DURATION= may be set.

Status 1 if what the function level adds to a worker's log grows by 2 MB an hour or more.
"""

import argparse
import os
import re
import shutil
import struct
import sys
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests" / "workloads"))
import cluster  # noqa: E402
from cluster import Process, Stop  # noqa: E402

FUNCTION_LEVEL = {"CODE", "MODULE", "STACKS", "STACK_USE", "CPU_SAMPLES"}
ALLOWED = 2e6  # bytes an hour and worker
EVERY_S = 60


def record_names():
    text = (TOP / "include" / "log_format.h").read_text()
    return {int(number): name for name, number in re.findall(r"\bX\(([A-Z_]+), \w+, (\d+), \d+, \d+,", text)}


class Log:
    """Of one process: what its records take, read on from where the last look ended."""

    names = record_names()

    def __init__(self, path):
        self.path, self.at = path, 0
        self.bytes, self.counts = Counter(), Counter()
        self.fixed = 0

    def look(self):
        with open(self.path, "rb") as file:
            first, end = struct.unpack_from("<QQ", file.read(40), 24)
            self.at = self.at or first
            self.fixed = first
            file.seek(self.at)
            data = file.read(end - self.at)
        at = 0
        while at + 8 <= len(data):
            length, kind, _ = struct.unpack_from("<IHH", data, at)
            if not length:  # being written: next time
                break
            name = self.names.get(kind, f"type {kind}") if kind else "unfinished"
            self.bytes[name] += length
            self.counts[name] += 1
            at += length
        self.at += at

    def copy(self):
        return time.monotonic(), Counter(self.bytes), Counter(self.counts)


class Logs:
    def __init__(self, directory):
        self.directory, self.all, self.start = directory, {}, {}

    def look(self):
        for path in self.directory.glob("*.cup"):
            self.all.setdefault(path, Log(path)).look()

    def first_job_ended(self):
        self.look()
        self.start = {path: log.copy() for path, log in self.all.items()}


def say_growth(log, start):
    """Of a log that was there when the first job ended; its growth of the function level."""
    then, bytes_then, counts_then = start
    hours = (time.monotonic() - then) / 3600
    print(f"{'record':14s} {'at first':>10s} {'bytes':>10s} {'since':>8s} {'bytes':>10s} {'bytes/h':>10s}")
    rows = sorted(log.bytes, key=lambda name: bytes_then[name] - log.bytes[name])
    for name in rows:
        since = log.bytes[name] - bytes_then[name]
        print(f"{name:14s} {counts_then[name]:10d} {bytes_then[name]:10d}"
              f" {log.counts[name] - counts_then[name]:8d} {since:10d} {since / hours:10.0f}")
    grown = log.bytes.total() - bytes_then.total()
    function = sum(log.bytes[name] - bytes_then[name] for name in FUNCTION_LEVEL)
    print(f"{'all':14s} {'':10s} {bytes_then.total():10d} {'':8s} {grown:10d} {grown / hours:10.0f}")
    print(f"{'function level':14s} {'':10s} {sum(bytes_then[n] for n in FUNCTION_LEVEL):10d}"
          f" {'':8s} {function:10d} {function / hours:10.0f}")
    tasks = log.counts["TASK_END"] - counts_then["TASK_END"]
    if tasks:
        print(f"{tasks} tasks since: {grown / tasks:.0f} bytes a task, {function / tasks:.0f} of them"
              " the function level")
    return function / hours


def role(log):
    """What the process was, by what it left."""
    if log.counts["TASK_END"]:
        return "worker"
    return "other"


def run_jobs(args, logs, address, worker, scheduler):
    files = TOP / "build" / "demo-data" / "ttree-600000"
    end = time.monotonic() + args.duration
    looked, job, done = time.monotonic(), None, 0
    cpu_then = None
    while time.monotonic() < end:
        if job is None:
            job = Process(f"job-{done}", [
                *args.cupping, sys.executable, TOP / "tests/workloads/paced_job.py", files / "files.json",
                address, "--task-s", args.task_s, "--chunksize", args.chunksize, *["--by-value"] * (done % 2)], args.logs)
        elif job.ended():
            if job.popen.returncode != 0:
                raise job.failure()
            done, job = done + 1, None
            if done == 1:
                logs.first_job_ended()
                cpu_then = cluster.cpu_of_tree(worker.popen.pid), time.monotonic()
        for server in (worker, scheduler):
            if server.ended():
                raise server.failure()
        if time.monotonic() - looked >= EVERY_S:
            looked = time.monotonic()
            logs.look()
            cluster.say(f"{done} jobs; " + "; ".join(
                f"{log.counts['TASK_END']} tasks, {log.bytes.total() / 1e6:.2f} MB of records, "
                f"{sum(log.bytes[name] for name in FUNCTION_LEVEL) / 1e6:.2f} of functions, "
                f"file {log.path.stat().st_blocks * 512 / 1e6:.2f} MB"
                for log in logs.all.values() if role(log) == "worker"))
        cluster.pause(0.5)
    if done < 2:
        raise Stop("no job began and ended after the first one: let it run longer")
    cpu, since = cluster.cpu_of_tree(worker.popen.pid), time.monotonic()
    cluster.say(f"{done} jobs ended; nanny and workers used"
                f" {100 * (cpu - cpu_then[0]) / (since - cpu_then[1]):.0f} % of a core")


def verdict(logs):
    status = 0
    for path, log in logs.all.items():
        if path not in logs.start or log.bytes == logs.start[path][1]:
            continue  # of a job that ended, or a nanny
        print(f"\n{path.name} ({role(log)}): header and regions {log.fixed} bytes, file of"
              f" {path.stat().st_size} bytes, {path.stat().st_blocks * 512} of them on disk")
        rate = say_growth(log, logs.start[path])
        if role(log) == "worker" and rate >= ALLOWED:
            print(f"too much: {rate / 1e6:.2f} MB of functions an hour, {ALLOWED / 1e6:.0f} are allowed")
            status = 1
    return status


def run(args):
    shutil.rmtree(args.output, ignore_errors=True)
    args.logs = args.output / "output"
    args.logs.mkdir(parents=True)
    Process.directory = args.output  # ./cupping-latest of the checkout stays as it is
    args.cupping = [TOP / "wrappers" / "cupping-run", "-o", args.output / "profile", "--"]
    files = TOP / "build" / "demo-data" / "ttree-600000"
    Process("mktree", [sys.executable, TOP / "tests/workloads/mktree.py", files], args.logs).wait(600)
    dask = Path(sys.executable).parent / "dask"
    file = args.logs / "scheduler.json"
    scheduler = Process("scheduler", [
        *args.cupping, dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", file], args.logs)
    address = cluster.scheduler_address(file, scheduler)
    worker = Process("worker", [
        *args.cupping, dask, "worker", address, "--no-dashboard", "--nthreads", args.threads,
        "--nworkers", args.workers, "--local-directory", args.output / "scratch"], args.logs)
    logs = Logs(args.output / "profile")
    run_jobs(args, logs, address, worker, scheduler)
    logs.look()
    return verdict(logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--duration", type=float, default=float(os.environ.get("DURATION", 3600)))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--task-s", type=float, default=12.0)
    parser.add_argument("--chunksize", type=int, default=12_500)
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "log-growth")
    args = parser.parse_args()
    args.output = args.output.resolve()
    return cluster.guarded("log_growth", run, args)


if __name__ == "__main__":
    sys.exit(main())
