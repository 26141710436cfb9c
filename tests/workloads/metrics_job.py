"""Coffea on a real Dask cluster, profiled, with a collector in Python at the same time.

    metrics_job.py DIRECTORY FILES.JSON SCENARIO [--wrap all|workers|cluster] [--interval S]

Starts `dask scheduler` and two `dask worker` of different size (with nannies), and itself again as
the client, each under cupping-run (unless --wrap leaves some out); their logs go to
DIRECTORY/profile, what the collector saw to DIRECTORY/truth.json: {"calls": [...], "cluster"}.
SCENARIO is a list of Runner calls, joined by commas, made one after the other by one client:

    plain    all files
    failing  one chunk raises OSError at its first try, and is tried again by Dask
    skipped  one file is not ROOT, which only shows when its chunks are opened: skipbadfiles
    moving   twice as many chunks; a third worker comes, then the first one and its nanny are killed
    one      a single chunk
    none     files without entries: Coffea raises an error

or "local" (everything in one process with a LocalCluster), "futures" or "iterative".
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
SIZES = (("1", "1GiB"), ("3", "2GiB"))  # threads and memory limit of the first two workers
CHUNK = 1_000
ALONE = ("local", "futures", "iterative")


# ---- processes ---------------------------------------------------------------------------------


def environment():
    """Without what another program of ours may have left."""
    ours = {name: value for name, value in os.environ.items()
            if name != "LD_PRELOAD" and not name.startswith("CUPPING_")}
    ours["PYTHONPATH"] = str(HERE)
    ours["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "1000"
    return ours


def start(directory, name, command, wrapped, interval):
    ours = environment()
    if wrapped:
        command = [TOP / "wrappers/cupping-run", "-o", directory / "profile", "--", *command]
        ours["CUPPING_INTERVAL"] = str(interval)
    with open(directory / f"{name}.log", "wb") as log:
        return subprocess.Popen(list(map(str, command)), env=ours, stdin=subprocess.DEVNULL,
                                stdout=log, stderr=log)


def dask():
    return Path(sys.executable).parent / "dask"


def start_worker(directory, number, address, wrapped, interval):
    threads, memory = SIZES[number % len(SIZES)]
    return start(directory, f"worker-{number}", [
        dask(), "worker", address, "--no-dashboard", "--nthreads", threads, "--memory-limit", memory,
        "--name", f"w{number}", "--local-directory", directory / "scratch",
    ], wrapped, interval)


def descendants(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(found for child in children for found in descendants(int(child)))]


def kill_all(pid):
    """A worker and its nanny, at once, as a batch system or the kernel does."""
    for each in descendants(pid):
        os.kill(each, signal.SIGKILL)


# ---- the client --------------------------------------------------------------------------------


def make_processor():
    import processor as demo
    from collector import timed

    class Slow(demo.Dimuon):
        """Long enough for a few samples; computes, sleeps, and may fail once."""

        def __init__(self, fail=""):
            self.fail = fail  # path of a file that says that it did; "": never

        @timed
        def process(self, events):
            out = super().process(events)
            if self.fail and events.metadata["entrystart"] == 0:
                try:
                    os.close(os.open(self.fail, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    raise OSError("fails once, on purpose")
            until = time.thread_time() + 0.05
            while time.thread_time() < until:
                sum(range(1000))
            time.sleep(0.1)
            return out

    return Slow


class Mover(threading.Thread):
    """Waits until some chunks are done, adds a worker, then kills the first one."""

    def __init__(self, client, args):
        super().__init__(daemon=True)
        self.client, self.args, self.reported = client, args, {}

    def done(self):
        def count(dask_scheduler):
            return sum(prefix.state_counts["memory"] + prefix.state_counts["released"]
                       for name, prefix in dask_scheduler.task_prefixes.items() if "Slow" in name)

        return self.client.run_on_scheduler(count)

    def workers(self):
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def run(self):
        before = self.done()
        while self.done() < before + 4:
            time.sleep(0.05)
        start_worker(self.args.directory, 2, self.args.client, True, self.args.interval)
        while len(self.workers()) < 3:
            time.sleep(0.05)
        self.reported["added"] = time.time()
        time.sleep(5 * self.args.interval)  # all three are in some samples
        kill_all(int(self.args.kill))
        self.reported["killed"] = time.time()


def filesets(args):
    whole = json.loads(args.files.read_text())["fileset"]
    return {name: {"files": trees} for name, trees in whole.items()}


def skipping(args, fileset):
    """One file less readable than its neighbours say: metadata come from a whole copy, which is cut
    off before the chunks are opened."""
    name, entry = next(iter(fileset.items()))
    path = next(iter(entry["files"]))
    copy = args.directory / "broken.root"
    copy.write_bytes(Path(path).read_bytes())
    return {**fileset, "Broken": {"files": {str(copy): "Events"}}}, copy


def call(args, client, executor, name, collector_class):
    from coffea import processor as coffea
    from coffea.nanoevents import NanoAODSchema

    processor_class = make_processor()
    runner = coffea.Runner(executor=executor, schema=NanoAODSchema, chunksize=CHUNK * 2 if args.scenario in ALONE else CHUNK // 2 if name == "moving" else CHUNK,
                           savemetrics=True, skipbadfiles=name == "skipped",
                           maxchunks=1 if name == "one" else None)
    fileset, fail, mover = filesets(args), "", None
    if name == "one":
        fileset = dict(list(fileset.items())[:1])
    if name == "failing":
        fail = str(args.directory.resolve() / "failed-once")
    if name == "none":
        fileset = {"Empty": {"files": {str(args.directory / "empty.root"): "Events"}}}
        write_empty(args.directory / "empty.root")
    if name == "skipped":
        fileset, broken = skipping(args, fileset)
        fileset = runner.preprocess(fileset)
        broken.write_bytes(b"no ROOT file any more")
        fileset = list(fileset)
    if name == "moving":
        mover = Mover(client, args)
        mover.start()
    with collector_class(client, f"call-{name}") as collector:
        output = collector.call(runner, fileset, processor_class(fail))
    if mover:
        mover.join(30)
        collector.reported["moved"] = mover.reported
    if output:
        collector.reported["output_events"] = sum(part["events"] for part in output.values())
    return collector.reported


def write_empty(path):
    import numpy
    import uproot

    with uproot.recreate(path) as file:
        file.mktree("Events", {"MET_pt": numpy.dtype("f4")})


def plain(value):
    return sorted(map(str, value)) if isinstance(value, (set, frozenset)) else str(value)


def make_executor(args):
    from coffea import processor as coffea

    if args.scenario == "iterative":
        return coffea.IterativeExecutor(status=False), None
    if args.scenario == "futures":
        return coffea.FuturesExecutor(workers=2, status=False), None
    from dask.distributed import Client, LocalCluster

    if args.scenario == "local":
        client = Client(LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None))
    else:
        client = Client(args.client)
        client.wait_for_workers(len(SIZES))
        time.sleep(0.5)  # the first heartbeats
    return coffea.DaskExecutor(client=client, status=False), client


def run_client(args):
    from collector import Collector
    from coffea.nanoevents import NanoAODSchema

    NanoAODSchema.warn_missing_crossrefs = False
    executor, client = make_executor(args)
    names = ["plain"] if args.scenario in ALONE else args.scenario.split(",")
    calls = []
    for name in names:
        calls.append(call(args, client, executor, name, Collector))
        time.sleep(0.3)
    (args.directory / "truth.json").write_text(json.dumps({"calls": calls}, default=plain, indent=1))
    if client:
        client.close()


# ---- the driver --------------------------------------------------------------------------------


def wait_for_address(path, scheduler):
    while scheduler.poll() is None:
        try:
            return json.loads(path.read_text())["address"]
        except (OSError, ValueError, KeyError):
            time.sleep(0.05)
    raise SystemExit(f"the scheduler ended with status {scheduler.returncode}")


def command_of_client(args, *more):
    return [sys.executable, Path(__file__).resolve(), args.directory, args.files, args.scenario,
            "--interval", args.interval, "--client", *more]


def run_cluster(args):
    file = args.directory / "scheduler.json"
    scheduler = start(args.directory, "scheduler", [
        dask(), "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", file,
    ], args.wrap in ("all", "cluster"), args.interval)
    address = wait_for_address(file, scheduler)
    workers = [start_worker(args.directory, number, address, True, args.interval)
               for number in range(len(SIZES))]
    client = start(args.directory, "client", command_of_client(args, address, "--kill", workers[0].pid),
                   args.wrap == "all", args.interval)
    status = client.wait()
    for process in (*workers, scheduler):
        if process.poll() is None:
            process.terminate()
    for process in (*workers, scheduler):
        process.wait()
    return status


def run_alone(args):
    return start(args.directory, "client", command_of_client(args, "-"), True, args.interval).wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("files", type=Path)
    parser.add_argument("scenario")
    parser.add_argument("--wrap", choices=("all", "cluster", "workers"), default="all")
    parser.add_argument("--interval", type=float, default=0.2)
    parser.add_argument("--client")
    parser.add_argument("--kill")
    args = parser.parse_args()
    if args.client:
        return run_client(args)
    args.directory.mkdir(parents=True, exist_ok=True)
    return run_alone(args) if args.scenario in ALONE else run_cluster(args)


if __name__ == "__main__":
    sys.exit(main())
