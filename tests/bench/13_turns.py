"""What the library adds to the CPU time and the duration of the demo's chunks, in clusters that take turns.

Comparing one run of a cluster with another sees a few per cent: the machine is faster in one minute than in the next.
Here several clusters live at the same time, some without the library and some with it. In each round every cluster runs
the same few chunks of the demo once, in random order, while the processes of all others are stopped (SIGSTOP). A turn
takes a second or two, so both sides meet the same machine.

One turn still differs from the next by 5 to 10 %, also without the library (which thread has the GIL, garbage
collection, page faults), and each process by 1 or 2 % for its life, because it has its own layout of memory. So many
rounds and several clusters of each kind are needed. For each variant: the mean ratio to the clusters without the
library, with the standard error that follows from how much its clusters differ; then the CPU time of a turn by the
names of the threads, which shows where the library adds it.

TURNS_ROUNDS (default 50), TURNS_CLUSTERS of each variant (default 6), TURNS_CHUNKS of each dataset (default 4),
TURNS_THREADS of a worker (default 2). Arguments: some of the variants; default: "with". Takes some fifteen minutes.
Needs the demo's data (`make demo`).
"""

import json
import math
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/workloads"))
import cluster  # noqa: E402
from cluster import Process  # noqa: E402

ROUNDS = int(os.environ.get("TURNS_ROUNDS", "50"))
CLUSTERS = int(os.environ.get("TURNS_CLUSTERS", "6"))
CHUNKS = int(os.environ.get("TURNS_CHUNKS", "4"))
THREADS = int(os.environ.get("TURNS_THREADS", "2"))
WARM_UP = 2  # rounds that are not counted: imports, and the first stack of each place
MEASURED = ("CPU", "wall", "switches", "user", "system", "faults")
VARIANTS = {
    "without": None,
    "with": {},
    "no stacks": {"CUPPING_STACKS": "0"},
    "no sampler": {"CUPPING_CPU_HZ": "0"},
    "no stacks, no sampler": {"CUPPING_STACKS": "0", "CUPPING_CPU_HZ": "0"},
    "disabled": {"CUPPING_DISABLE": "1"},
}


class Cluster:
    def __init__(self, variant: str, number: int, where: Path):
        from dask.distributed import Client

        self.variant, self.name, self.rows = variant, f"{variant} {number}", []
        self.threads = []  # as rows: for each turn, the CPU time of each kind of thread
        self.logs = where / self.name.replace(" ", "-").replace(",", "")
        self.logs.mkdir()
        settings = VARIANTS[variant]
        under = [] if settings is None else [
            "env", *(f"{name}={value}" for name, value in settings.items()),
            TOP / "wrappers/cupping-run", "-o", self.logs / "profile", "--"]
        file = self.logs / "scheduler.json"
        self.scheduler = Process("scheduler", [
            *under, *cluster.dask(sys.executable, "scheduler"), "--host", "127.0.0.1", "--port", "0",
            "--no-dashboard", "--scheduler-file", file], self.logs)
        address = cluster.scheduler_address(file, self.scheduler)
        self.worker = Process("worker", [
            *under, *cluster.dask(sys.executable, "worker"), address, "--no-dashboard", "--nthreads", THREADS,
            "--nanny", "--local-directory", self.logs / "scratch"], self.logs)
        self.client = Client(address, set_as_default=False)
        self.client.wait_for_workers(1)
        self.client.upload_file(str(TOP / "tests/workloads/processor.py"))
        self.pid = self.client.submit(os.getpid).result()
        self.runner = self.make_runner()
        assert ("libcupping" in Path(f"/proc/{self.pid}/maps").read_text()) == (settings is not None)

    def make_runner(self):
        from coffea import processor
        from coffea.nanoevents import NanoAODSchema

        NanoAODSchema.warn_missing_crossrefs = False
        return processor.Runner(executor=processor.DaskExecutor(client=self.client, status=False),
                                schema=NanoAODSchema, chunksize=12_500, maxchunks=CHUNKS, savemetrics=True)

    def signal(self, number: int) -> None:
        for process in (self.scheduler, self.worker):
            os.killpg(process.popen.pid, number)

    def counts(self) -> tuple:
        """What the worker's process has used so far: seconds of its CPU clock (whose id is that of
        clock_getcpuclockid(3)) and of the wall clock, switches between threads, user and system time in ticks, and
        minor page faults."""
        switches = sum(int(line.split()[1]) for task in Path(f"/proc/{self.pid}/task").iterdir()
                       for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line)
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (time.clock_gettime((~self.pid << 3) | 2), time.monotonic(), switches, int(fields[11]), int(fields[12]),
                int(fields[7]))

    def thread_ms(self) -> Counter:
        """CPU time so far by the names of the threads, without the numbers in them, in milliseconds."""
        def names(): return {thread.native_id: thread.name for thread in __import__("threading").enumerate()}
        known, = self.client.run(names).values()
        sums = Counter()
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            name = known.get(int(task.name), "native " + (task / "comm").read_text().strip())
            sums[re.sub(r"[-_\d]+", " ", name).strip()] += int((task / "schedstat").read_text().split()[0]) / 1e6
        return sums

    def take_turn(self, fileset: dict, processor_instance) -> None:
        self.signal(signal.SIGCONT)
        time.sleep(0.2)  # what waited for it while it was stopped
        threads, before = self.thread_ms(), self.counts()
        self.runner(fileset, processor_instance=processor_instance)
        self.rows.append([b - a for a, b in zip(before, self.counts())])
        after = self.thread_ms()
        after.subtract(threads)
        self.threads.append(after)
        self.signal(signal.SIGSTOP)


def thread_mean(cluster_: Cluster, name: str) -> float:
    return statistics.mean(turn[name] for turn in cluster_.threads)


def mean_and_error(values: list) -> str:
    return f"{statistics.mean(values):14.2f} +- {statistics.stdev(values) / math.sqrt(len(values)):6.2f}"


def show(clusters: list) -> None:
    """A line for each variant, and below it one for each of its clusters."""
    means = {each.name: [statistics.mean(column) for column in zip(*each.rows)] for each in clusters}
    base = [statistics.mean(column) for column in zip(*(means[each.name] for each in clusters if each.variant == "without"))]
    variants = list(dict.fromkeys(each.variant for each in clusters))
    print(f"{ROUNDS} rounds of {2 * CHUNKS} chunks, {THREADS} threads, load {os.getloadavg()[0]:.1f}. Without the library a "
          f"turn takes {base[0]:.3g} s of CPU, {base[1]:.3g} s, {base[2]:.0f} switches\n{'ratios':24s}"
          + "".join(f"{name:>20s}" for name in MEASURED))
    for variant in variants:
        logs = [[math.log(value / whole) for value, whole in zip(means[each.name], base)]
                for each in clusters if each.variant == variant]
        print(f"{variant:24s}" + "".join(
            f"{math.exp(statistics.mean(column)):10.4f} +- {statistics.stdev(column) / math.sqrt(len(column)):.4f}"
            for column in zip(*logs)))
        for row in logs:
            print(f"{'':24s}" + "".join(f"{math.exp(value):10.4f}          " for value in row))
    print(f"\n{'CPU time of a turn, ms':24s}" + "".join(f"{variant:>24s}" for variant in variants))
    for name in sorted({name for each in clusters for turn in each.threads for name in turn}):
        print(f"{name:24s}" + "".join(f"{mean_and_error([thread_mean(each, name) for each in clusters if each.variant == variant])}"
                                      for variant in variants))


def measure(names: list) -> int:
    from processor import Dimuon

    files = TOP / "build/demo-data/ttree-600000/files.json"
    if not files.exists():
        raise cluster.Stop(f"{files} is missing: run `make demo`")
    fileset = {name: {"files": paths} for name, paths in json.loads(files.read_text())["fileset"].items()}
    with tempfile.TemporaryDirectory(prefix="cupping-turns-") as where:
        clusters = [Cluster(name, number, Path(where)) for number in range(CLUSTERS) for name in ["without", *names]]
        for each in clusters:
            each.signal(signal.SIGSTOP)
        for i in range(WARM_UP + ROUNDS):
            for each in random.sample(clusters, len(clusters)):
                each.take_turn(fileset, Dimuon())
                if i < WARM_UP:
                    each.rows.clear()
                    each.threads.clear()
        show(clusters)
        for each in clusters:
            each.signal(signal.SIGCONT)
            each.client.close()
    return 0


if __name__ == "__main__":
    sys.exit(cluster.guarded("13_turns.py", measure, sys.argv[1:] or ["with"]))
