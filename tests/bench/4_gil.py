"""GIL waits as cupping measures them, compared with Dask's own `gil_contention`.

They are not the same: Dask (by gilknocker) says for what share of the time a thread that asked for
the GIL would have had to wait, so that one thread that loops alone makes it 1; cupping adds up how
long tasks did wait. They agree where there is nothing (sleeps, compression), rise together where
tasks fight, and cannot exceed each other's bounds: tasks wait only while the lock is held, so that

    waits / (threads x time) <= contention x (threads - 1) / threads

unless threads that run no task hold it. Skipped if gilknocker is not installed.
"""

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests" / "workloads"))

import waits
from cluster import Process

NAMES = ("sleep", "compress", "sleep_and_loop", "loop")
ROUNDS = 10
ENVIRONMENT = {**waits.ENVIRONMENT,
               "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "True"}


def contended_s(dask_worker):
    """Seconds so far, as Dask adds them up twice a second."""
    return dask_worker.monitor.cumulative_gil_contention


def one(run, world, name):
    """[threads, workload, wall seconds, Dask's seconds]"""
    def dask_s():
        time.sleep(1.1)
        return sum(run.client.run(contended_s).values())

    before, begun = dask_s(), time.monotonic()
    run.workload(name, world, ROUNDS)
    wall = time.monotonic() - begun
    return wall, dask_s() - before


def threads(count, directory, world):
    directory.mkdir()
    run = waits.Run(count, directory)
    run.start()
    measured = {name: one(run, world, name) for name in NAMES}
    run.stop()
    rows = waits.rows_of(run.profile, directory)
    for name, (wall, contended) in measured.items():
        waited = sum(row["gil_wait_s"] for row in rows if row["key"].startswith(f"{name}-{count}-"))
        print(f"{name:16s} {count} threads  gil_contention {contended / wall:6.3f}   "
              f"waits / (threads x time) {waited / wall / count:6.3f}   "
              f"at most {contended / wall * (count - 1) / count:6.3f}")


def main():
    if not importlib.util.find_spec("gilknocker"):
        print("no gilknocker here: pip install gilknocker")
        return
    os.environ.update(ENVIRONMENT)
    os.environ["PYTHONPATH"] += os.pathsep + str(Path(importlib.util.find_spec("gilknocker").origin).parents[1])
    try:
        with tempfile.TemporaryDirectory(prefix="cupping-gil-") as directory:
            world = waits.World(Path(directory) / "world")
            for count in (1, 4):
                threads(count, Path(directory) / str(count), world)
            Process.end_all()  # before their files go
    finally:
        Process.end_all()


if __name__ == "__main__":
    main()
