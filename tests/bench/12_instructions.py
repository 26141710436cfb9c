"""Instructions, cache misses and mispredicted branches that the library adds to a task, counted by valgrind.

A cluster of one thread in one process runs tasks, each of which does what a chunk of the demo does. A run with
COUNTED_TASKS + 2 tasks (default 6 + 2) and one with 2 are compared: their difference, divided by COUNTED_TASKS, is the
cost of a task without start-up. Only the thread that runs the tasks is counted, not the sampler's, and a system call
counts as one instruction. Three variants: without the library, with it but without stacks and sampler, and with all. A
program is some fifty times slower under valgrind, but budgets of stacks are for a second of real time, so "all" takes
more stacks for each task than usual. What libc and Python do for the library counts as "elsewhere".

Garbage collection is off, because it would run at other places each time. Other work on the machine changes little:
from run to run the instructions of a task differ by half a per cent, the mispredicted branches by some per cent. The
last column is an estimate: half a cycle for an instruction, 10 for a miss of the first cache, 15 for a mispredicted
branch. Takes some 15 minutes and runs two programs at a time. Needs the demo's data (`make demo`).
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
DATA = TOP / "build/demo-data/ttree-600000"
TASKS = int(os.environ.get("COUNTED_TASKS", "6"))
CYCLES = {"Ir": 0.5, "I1mr": 10, "D1mr": 10, "D1mw": 10, "Bcm": 15, "Bim": 15}
COLUMNS = ["instructions", "misses: code", "reads", "writes", "mispredicted", "indirect"]
VARIANTS = {"without": None, "no stacks, no sampler": {"CUPPING_STACKS": "0", "CUPPING_CPU_HZ": "0"}, "all": {}}


def read_and_compute(path):
    import awkward as ak
    import uproot

    with uproot.open(f"{path}:Events") as tree:
        chunk = tree.arrays(["Muon_pt", "Muon_eta", "Muon_phi", "Jet_pt", "Jet_eta"], entry_stop=12_500)
    muons = chunk.Muon_pt[abs(chunk.Muon_eta) < 2.4]
    found = 0.0
    for _ in range(3):
        pairs = ak.combinations(muons, 2, fields=["first", "second"])
        jets = chunk.Jet_pt[abs(chunk.Jet_eta) < 2.5]
        found += float(ak.sum(jets)) + float(ak.sum(pairs.first + pairs.second)) + float(ak.max(chunk.Muon_phi))
    return found


def run_tasks(count: int) -> None:
    import gc

    import dask
    from distributed import Client, LocalCluster

    dask.config.set({"distributed.worker.profile.enabled": False})
    gc.disable()
    path = sorted(str(file) for file in DATA.glob("*.root"))[0]
    with LocalCluster(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        client.gather(client.map(read_and_compute, [path] * count, pure=False))


def read_counts(file: str) -> dict:
    """{event: (in the library and libunwind, elsewhere)} of a thread. The line after "calls=" is the callee's cost with
    all that it calls. It is skipped, because the callee's own lines have it."""
    events, sums, ours, names, after_call = [], {}, False, {}, False
    with open(file, errors="replace") as lines:
        for line in lines:
            if line.startswith("events:"):
                events = line.split()[1:]
                sums = {event: [0, 0] for event in events}
            elif line.startswith("ob="):
                number, name = re.match(r"ob=\((\d+)\)(?: (.*))?", line).groups()
                names[number] = name or names[number]
                ours = "libcupping" in names[number] or "libunwind" in names[number]
            elif line.startswith("cob="):
                number, name = re.match(r"cob=\((\d+)\)(?: (.*))?", line).groups()
                names[number] = name or names[number]
            elif line.startswith("calls="):
                after_call = True
            elif re.match(r"[\d+*-]", line):
                if not after_call:
                    for event, count in zip(events, line.split()[1:]):
                        sums[event][0 if ours else 1] += int(count)
                after_call = False
    return sums


def count_threads(variant: str, tasks: int, where: Path) -> dict:
    """{number of the thread: counts}"""
    out = where / f"{variant}-{tasks}"
    out.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUPPING", "LD_PRELOAD"))}
    environment["PYTHONHASHSEED"] = "0"
    if VARIANTS[variant] is not None:
        environment |= {"LD_PRELOAD": str(TOP / "build/libcupping.so"), "CUPPING_DIR": str(out), **VARIANTS[variant]}
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", "--separate-threads=yes",
                    f"--callgrind-out-file={out}/counts", sys.executable, __file__, "--tasks", str(tasks)],
                   check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert VARIANTS[variant] is None or list(out.glob("*.cup")), "the library was not on"
    return {file.rsplit("-", 1)[1]: read_counts(file) for file in glob.glob(f"{out}/counts-*")}


def per_task(variant: str, where: Path) -> dict:
    few, many = (count_threads(variant, tasks, where) for tasks in (2, 2 + TASKS))
    differences = [{event: [(b - a) / TASKS for a, b in zip(few[thread][event], many[thread][event])] for event in CYCLES}
                   for thread in few if thread in many]
    most = max(differences, key=lambda thread: sum(thread["Ir"]))
    assert sum(most["Ir"]) > 1e8, "the thread that runs the tasks was not found"
    return most


def show(name: str, counts: list, base: list) -> None:
    cycles = [sum(value * cost for value, cost in zip(row, CYCLES.values())) for row in (counts, base)]
    print(f"{name:36s}" + "".join(f"{100 * count / whole:13.2f}%" for count, whole in zip(counts, base))
          + f"{100 * cycles[0] / cycles[1]:9.2f}%", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--tasks"]:
        run_tasks(int(sys.argv[2]))
        return
    if not list(DATA.glob("*.root")):
        sys.exit(f"{Path(__file__).name}: {DATA} has no files: run `make demo`")
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as directory, ThreadPoolExecutor(2) as pool:
        found = dict(zip(VARIANTS, pool.map(lambda variant: per_task(variant, Path(directory)), VARIANTS)))
    base = [sum(found["without"][event]) for event in CYCLES]
    print(f"{'a task without the library':36s}" + "".join(f"{count:14.0f}" for count in base))
    print(f"{'added, in % of the row above':36s}" + "".join(f"{column:>14s}" for column in COLUMNS) + f"{'cycles':>10s}")
    for variant in list(VARIANTS)[1:]:
        print(variant)
        for part, name in enumerate(("in the library and libunwind", "elsewhere")):
            added = [found[variant][event][part] - found["without"][event][part] for event in CYCLES]
            show("  " + name, added, base)


if __name__ == "__main__":
    main()
