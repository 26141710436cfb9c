"""The cost that the library adds to one call, in nanoseconds, measured with and without it by turns.

Each run is a fresh process that measures the same loops (libcalls.c, called through ctypes, which
gives up the GIL) outside any task, inside a real Dask task at stack depth 20 and 40, and on a
helper thread of a task. The smallest of each process's rounds counts. Shown are the difference of
the minima over all processes (what the calls cost when nothing else disturbs), the median of the
differences by pair with their spread, and the noise floor: without the library against itself.
"""

import asyncio
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAIRS = int(os.environ.get("BENCH_PAIRS", "7"))
CLOCKS = {"clock_gettime REALTIME": 0, "clock_gettime MONOTONIC": 1}

# What is asked of each figure: (place, call): most nanoseconds more.
LIMITS = {
    ("no log", "malloc+free 64 B"): 3, ("no log", "malloc+free 1000 B"): 3,
    ("no task", "malloc+free 64 B"): 3, ("no task", "malloc+free 1000 B"): 20,
    ("no task", "pread 4 KiB"): 60,
    **{(place, "malloc+free 64 B"): 8 for place in ("depth 20", "depth 40")},
    **{(place, "malloc+free 1000 B"): 8 for place in ("depth 20", "depth 40")},
    # With its stack, all in all; of small ones that follow each other one in sixteen takes it.
    ("depth 20", "pread 4 KiB"): 150, ("depth 40", "pread 4 KiB"): 250, ("helper", "pread 4 KiB"): 150,
    **{(place, "pread 100 B"): 60 + 250 // 16 for place in ("depth 20", "depth 40", "helper")},
    ("helper", "malloc+free 1000 B"): 20,
    **{(place, "clock_gettime MONOTONIC"): 2 for place in ("no log", "depth 20", "depth 40")},
    **{(place, "clock_gettime REALTIME"): 15 for place in ("no log", "depth 20", "depth 40")},
    **{(place, call): 15 for place in ("no log", "no task", "depth 20", "depth 40", "helper")
       for call in ("sem_post+sem_wait", "sem_post+sem_wait, owner unknown")},
    ("a task", "begin and end"): 10000,
}


def measure(lib, path: bytes) -> dict:
    found = {"malloc+free 64 B": lib.bench_malloc(64), "malloc+free 1000 B": lib.bench_malloc(1000),
             "pread 4 KiB": lib.bench_pread(path, 4096),
             "pread 100 B": lib.bench_pread(path, 100), "open+close": lib.bench_open(path, 0),
             "open+pread 1 B+close": lib.bench_open(path, 1), "sem_post+sem_wait": lib.bench_lock(),
             "sem_post+sem_wait, owner unknown": lib.bench_unknown_lock(),
             "mutex lock+unlock": lib.bench_mutex(), "send or recv": lib.bench_sockets(1),
             "send or recv, 4 threads": lib.bench_sockets(4), "GIL release+acquire": lib.with_gil.bench_gil(),
             "fork+waitpid": lib.bench_fork(), "connect+close": lib.bench_connect(),
             "connect+close, forked child": lib.bench_connect_forked()}
    return found | {name: lib.bench_clock(number) for name, number in CLOCKS.items()}


def at_depth(depth: int, function):
    return function() if depth <= 0 else at_depth(depth - 1, function)


def per_task(run, tasks: int = 400) -> float:
    """Of a task of nothing, as Dask's own runner runs it."""
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter_ns()
        for number in range(tasks):
            run(f"nothing-{number:050d}", int)
        best = min(best, (time.perf_counter_ns() - start) / tasks)
    return best


def child(library: str) -> None:
    lib = ctypes.CDLL(library)
    lib.with_gil = ctypes.PyDLL(library)
    lib.with_gil.bench_gil.restype = ctypes.c_double
    for name in ("bench_malloc", "bench_pread", "bench_open", "bench_clock", "bench_lock", "bench_unknown_lock",
                 "bench_mutex", "bench_sockets", "bench_fork", "bench_connect", "bench_connect_forked"):
        getattr(lib, name).restype = ctypes.c_double
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(65536))
        file.flush()
        path = file.name.encode()
        found = {"no log": measure(lib, path)}
        sys.path.insert(0, str(TOP / "tests" / "workloads"))
        import run_task

        async def helper():
            return await asyncio.to_thread(measure, lib, path)

        run_task.run("first", int)
        found["no task"] = measure(lib, path)
        for depth in (20, 40):
            found[f"depth {depth}"] = run_task.run(
                f"depth-{depth}", lambda: at_depth(depth, lambda: measure(lib, path)))
        found["helper"] = run_task.run("helper", lambda: asyncio.run(helper()))
        found["a task"] = {"begin and end": per_task(run_task.run)}
    print(json.dumps(found))


def run_once(profile: str | None) -> dict:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUPPING")}
    if profile:
        environment |= {"LD_PRELOAD": str(TOP / "build/libcupping.so"), "CUPPING_DIR": profile}
    command = [sys.executable, __file__, "--child", str(TOP / "build/tests/bench/libcalls.so")]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def prove_it_was_on(profile: str) -> None:
    tasks = json.loads(subprocess.run([TOP / "build/cupping", "tasks", profile, "--json", "-"],
                                      capture_output=True, text=True, check=True).stdout)["tasks"]
    row = next(task for task in tasks if task["key"] == "depth-20")
    helper = next(task for task in tasks if task["key"] == "helper")
    assert row["read_own_bytes"] >= 4196 * 40000 and row["alloc_calls"] >= 800000, row
    assert helper["read_context_bytes"] >= 4196 * 40000, helper
    print(f"the tool was on: {len(tasks)} tasks, in 'depth-20' {row['read_calls']} reads and "
          f"{row['alloc_calls']} allocations counted\n")


def main() -> None:
    runs = {"without": [], "with": [], "again": []}
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as profile:
        for _ in range(PAIRS):
            runs["without"].append(run_once(None))
            runs["with"].append(run_once(profile))
            runs["again"].append(run_once(None))
        prove_it_was_on(profile)
    print(f"{PAIRS} processes each, by turns; ns a call\n"
          f"{'place':10s}{'call':29s}{'without':>9s}{'minima':>9s}{'median':>9s}{'spread':>18s}"
          f"{'noise':>8s}{'limit':>7s}")
    for place, calls in runs["without"][0].items():
        for call in calls:
            series = {name: [run[place][call] for run in many] for name, many in runs.items()}
            plain = min(series["without"] + series["again"])
            minima = min(series["with"]) - plain
            more = sorted(w - p for w, p in zip(series["with"], series["without"]))
            noise = statistics.median(abs(a - p) for a, p in zip(series["again"], series["without"]))
            limit = LIMITS.get((place, call))
            verdict = "" if limit is None else f"{limit:7d}{'' if minima <= limit else '  over'}"
            print(f"{place:10s}{call:29s}{plain:9.1f}{minima:+9.1f}{statistics.median(more):+9.1f}"
                  f"{f'{more[0]:+.1f} to {more[-1]:+.1f}':>18s}{noise:8.1f}{verdict}")


if __name__ == "__main__":
    child(sys.argv[2]) if sys.argv[1:2] == ["--child"] else main()
