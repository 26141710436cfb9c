"""Kills nannies and workers of a real Dask cluster by SIGKILL, at random moments: every task whose result the client
has must be in the report, with its bytes, and no process may have two rows of it.

    kill_cluster.py [--kills N] [--seed N] [-o DIR]

Kills in lots of 25, each with a cluster and a profile of its own (CLUSTER_KILLS= may be set, default 100). Two
`dask worker` with nannies run tasks all the time; every second victim is a nanny, whose worker then ends by itself and
is replaced.
Prints a row for each lot. Exit status 1 if a task is missing, has two rows of one process or wrong bytes, or if a log
is damaged.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests" / "workloads")]
import cluster  # noqa: E402
import soak  # noqa: E402
from cluster import Process  # noqa: E402
from company_job import BYTES, work  # noqa: E402
from distributed import Client, as_completed  # noqa: E402

LOT = 25
WORKERS = 2
AT_A_TIME = 8  # tasks
PATIENCE_S = 600


class Cluster:
    def __init__(self, folder):
        self.folder, self.is_over, self.kills = folder, threading.Event(), 0
        self.prefix = [TOP / "wrappers" / "cupping-run", "-o", folder / "profile", "--"]
        python, scheduler_file = TOP / "build" / "venv" / "bin" / "python", folder / "scheduler.json"
        self.dask = [cluster.dask(python, what) for what in ("scheduler", "worker")]
        self.scheduler = Process("scheduler", [*self.prefix, *self.dask[0], "--host", "127.0.0.1", "--port", "0",
                                               "--no-dashboard", "--scheduler-file", scheduler_file], folder)
        self.address = cluster.scheduler_address(scheduler_file, self.scheduler)
        self.nannies = [self.start_nanny(i) for i in range(WORKERS)]
        self.keeper = threading.Thread(target=self.replace_ended)
        self.keeper.start()

    def start_nanny(self, number):
        """A worker whose nanny was killed ends because the pipe to its nanny closes."""
        return Process(f"nanny-{number}-{time.monotonic_ns()}", [
            *self.prefix, *self.dask[1], self.address, "--no-dashboard", "--nthreads", 2,
            "--local-directory", self.folder / "scratch"], self.folder)

    def replace_ended(self):
        """A nanny ends if it was killed, and if its worker was killed before it had started."""
        while not self.is_over.wait(0.1):
            for number, nanny in enumerate(self.nannies):
                if nanny.ended():
                    self.nannies[number] = self.start_nanny(number)

    def kill_nanny(self, number):
        self.kill(self.nannies[number].popen.pid)

    def kill_worker(self, number):
        """Its nanny starts another one."""
        try:
            for pid in cluster.children_of(self.nannies[number].popen.pid):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    self.kill(pid)
        except FileNotFoundError:
            pass  # one of them has just ended

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
            self.kills += 1
        except ProcessLookupError:
            pass

    def end(self):
        self.is_over.set()
        self.keeper.join()
        for nanny in self.nannies:
            nanny.finish(300)
        self.scheduler.finish(300)


class Stream:
    """Tasks that follow each other, and the keys of those whose result is here."""

    def __init__(self, client, path):
        self.client, self.path, self.ended, self.number = client, path, [], 0
        self.open = as_completed([self.submit() for _ in range(AT_A_TIME)])

    def submit(self):
        self.number += 1
        return self.client.submit(work, self.path, key=f"work-{self.number}", pure=False)

    def one_more(self):
        future = next(self.open)
        assert future.result() == BYTES
        self.ended.append(future.key)
        self.open.add(self.submit())

    def run_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.one_more()

    def finish(self):
        for future in self.open:
            assert future.result() == BYTES
            self.ended.append(future.key)


def kill_often(dask, stream, dice, kills):
    stream.client.wait_for_workers(WORKERS, timeout=PATIENCE_S)
    for i in range(kills):
        stream.run_for(1 + dice.random())
        (dask.kill_nanny if i % 2 else dask.kill_worker)(dice.randrange(WORKERS))
        if i % 3:  # each third kill does not wait: the next one may find a worker that is starting
            stream.client.wait_for_workers(WORKERS, timeout=PATIENCE_S)
    stream.finish()


def judge(profile, ended):
    report, tasks = (json.loads(subprocess.run([TOP / "build" / "cupping", verb, profile, "--json", "-"],
                                               capture_output=True, check=True).stdout) for verb in ("report", "tasks"))
    finished = [row for row in tasks["tasks"] if row["status"] == "finished"]
    keys = {row["key"] for row in finished}
    processes = Counter((row["key"], row["host"], row["pid"]) for row in finished)
    return Counter(
        ended=len(ended),
        missing=sum(key not in keys for key in ended),
        twice=sum(count > 1 for count in processes.values()),
        wrong_bytes=sum(row["read_bytes"] != BYTES for row in finished),
        logs=len(list(profile.glob("*.cup"))),
        damaged=report["health"]["logs_unreadable"],
    )


def try_lot(folder, seed, kills):
    start, profile = time.monotonic(), folder / "profile"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    Process.directory = folder  # ./cupping-latest of the checkout stays as it is
    (folder / "data.root").write_bytes(os.urandom(BYTES))
    dask = Cluster(folder)
    try:
        with Client(dask.address) as client:
            stream = Stream(client, str(folder / "data.root"))
            kill_often(dask, stream, random.Random(seed), kills)
    finally:
        dask.end()
    counts = Counter(kills=dask.kills) + judge(profile, stream.ended)
    wrong = counts["twice"] + counts["wrong_bytes"]
    soak.append("kill_cluster", seed, rounds=dask.kills, tasks=counts["ended"], wrong=wrong, missing=counts["missing"],
                lost=counts["damaged"], seconds=round(time.monotonic() - start))
    cluster.say("  ".join(f"{name} {counts[name]}" for name in (
        "kills", "ended", "missing", "twice", "wrong_bytes", "logs", "damaged")))
    return bool(wrong or counts["missing"] or counts["damaged"])


def run(args):
    os.environ["PYTHONPATH"] = str(TOP / "tests" / "workloads")
    os.environ["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "100000"
    failed = 0
    for lot in range(-(-args.kills // LOT)):
        if not soak.done("kill_cluster", args.seed + lot):
            failed += try_lot(args.output, args.seed + lot, min(LOT, args.kills - lot * LOT))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=int(os.environ.get("CLUSTER_KILLS", "100")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "kill-cluster")
    args = parser.parse_args()
    args.output = args.output.resolve()
    return cluster.guarded("kill_cluster", run, args)


if __name__ == "__main__":
    sys.exit(main())
