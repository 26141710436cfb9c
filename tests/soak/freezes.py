"""Does cupping make a known freeze of CPython likelier? (gh-106883, CPython 3.11.0 to 3.11.8)

    freezes.py [--starts 300] [--tasks 200] [--interval 10ms] [-o DIR]

In these releases a process stops for good if garbage is collected inside sys._current_frames(), a
finalizer of that garbage gives up the GIL, and another thread then starts or ends. Dask's profiler calls that function every 10 ms. Each start is a real
`dask worker` without a nanny; its tasks start threads and leave garbage behind. Starts with and
without cupping alternate. A worker that finishes no task for a minute is frozen: the stacks of all its
threads go to a file, if gdb is there, and it is killed. The table has the number of frozen workers each
way, and the probability of a difference at least as large if cupping made none (Fisher's exact test).

Status 1 if more workers froze with cupping than without, and that probability is below 1 %. STARTS= may
be set instead of the option.
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests" / "workloads"))
import cluster  # noqa: E402
from cluster import say  # noqa: E402

FROZEN_S = 60
WAYS = ("plain", "cupping")


def start_threads(number):
    """What the freeze needs: threads that start and end, and garbage whose finalizers give up the GIL."""
    import threading
    import time

    class Garbage:
        def __init__(self):
            self.cycle = self

        def __del__(self):
            time.sleep(0)

    def work():
        for _ in range(10):
            Garbage()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return number


def write_stacks(pid, path):
    if shutil.which("gdb"):
        with open(path, "w") as out:
            subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
                           stdout=out, stderr=subprocess.STDOUT, timeout=300)


def run_worker(client, way, number, tasks, environment, directory):
    """One start. Returns whether the worker froze."""
    name = f"{way}-{number}"
    command = [sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address, "--no-nanny",
               "--nthreads", "4", "--name", name, "--no-dashboard", "--local-directory", str(directory)]
    if way == "cupping":
        command = [str(TOP / "wrappers" / "cupping-run"), "-o", str(directory / name), "--", *command]
    with open(directory / f"{name}.log", "w") as log:
        worker = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            client.wait_for_workers(1, timeout=120)
            futures = client.map(start_threads, range(tasks), key=f"{name}-task", pure=False)
            done, last = 0, time.monotonic()
            while done < tasks and time.monotonic() - last < FROZEN_S:
                time.sleep(0.05)
                now = sum(future.done() for future in futures)
                if now > done:
                    done, last = now, time.monotonic()
            if done < tasks:
                children = subprocess.run(["pgrep", "-s", str(worker.pid)], capture_output=True, text=True)
                for pid in children.stdout.split():
                    write_stacks(pid, directory / f"{name}-{pid}.stacks")
            client.cancel(futures, force=True)
        finally:
            os.killpg(worker.pid, 9 if worker.poll() is None and done < tasks else 15)
            try:
                worker.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(worker.pid, 9)
                worker.wait()
    while client.scheduler_info()["workers"]:
        time.sleep(0.05)
    if way == "cupping" and not list((directory / name).glob("**/*.cup")):
        raise cluster.Stop(f"{name}: no log, so the library was not there: see {directory}/{name}.log")
    shutil.rmtree(directory / name, ignore_errors=True)
    return done < tasks


def probability(frozen, starts):
    """Of at least so many frozen workers with cupping, if both ways freeze alike (Fisher, one-sided)."""
    total = sum(frozen.values())
    ways = math.comb(2 * starts, total)
    return sum(math.comb(starts, count) * math.comb(starts, total - count)
               for count in range(frozen["cupping"], min(total, starts) + 1)) / ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--starts", type=int, default=int(os.environ.get("STARTS", 300)), help="each way")
    parser.add_argument("--tasks", type=int, default=200, help="of each start")
    parser.add_argument("--interval", default="10ms", help="of Dask's profiler")
    parser.add_argument("-o", "--output", type=Path, help="directory of logs and stacks")
    options = parser.parse_args()
    directory = options.output or Path(tempfile.mkdtemp(prefix="freezes-"))
    directory.mkdir(parents=True, exist_ok=True)

    from distributed import Client

    environment = os.environ | {"DASK_DISTRIBUTED__WORKER__PROFILE__INTERVAL": options.interval}
    scheduler_file = directory / "scheduler.json"
    scheduler_file.unlink(missing_ok=True)
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
         "--scheduler-file", str(scheduler_file)],
        stdout=open(directory / "scheduler.log", "w"), stderr=subprocess.STDOUT)
    frozen = dict.fromkeys(WAYS, 0)
    try:
        while not scheduler_file.exists():
            time.sleep(0.05)
        with Client(scheduler_file=str(scheduler_file)) as client:
            for number in range(options.starts):
                for way in WAYS if number % 2 else reversed(WAYS):
                    frozen[way] += run_worker(client, way, number, options.tasks, environment, directory)
                if number % 20 == 19:
                    say(f"{number + 1} starts each way, frozen: {frozen}")
    finally:
        scheduler.terminate()
        scheduler.wait()
    chance = probability(frozen, options.starts)
    print(f"Python {sys.version.split()[0]}: {options.starts} starts each way, {options.tasks} tasks each, "
          f"profiler every {options.interval}")
    for way in WAYS:
        print(f"  {way:8} {frozen[way]:4} frozen")
    print(f"  probability of so many with cupping, if it makes no difference: {chance:.3f}")
    if sum(frozen.values()):
        print(f"  stacks of frozen workers: {directory}/*.stacks")
    return chance < 0.01 and frozen["cupping"] > frozen["plain"]


if __name__ == "__main__":
    sys.exit(main())
