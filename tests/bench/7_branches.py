"""The cost of finding baskets, for a job that only reads: worker CPU and wall seconds.

Two clusters with nannies, started anew three times, stand side by side, one under this library, one under that of BENCH_BASE (a
commit, built in build/base-COMMIT; by default the last one that did not look for baskets). They get the
same tasks by turns, so that what else the machine does hits both; CPU is user + system of the whole
worker process around them, by its own clocks. The noise floor is the base against itself, from one
round to the next. The walk alone: preads of the whole file into a buffer, in a task, the fastest of many.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
STARTS = 3  # what a process is lucky with (addresses, its heap) stays with it
ROUNDS = max(2, int(os.environ.get("BENCH_PAIRS", "15")) // STARTS)
BASE = os.environ.get("BENCH_BASE", "412fd69")
sys.path.insert(0, str(HERE.parent / "workloads"))

# name: branches, baskets of each, entries of a basket (4 bytes each); tasks of a round
FILES = {"2 MB baskets": ((8, 10, 500_000), 4), "2 KB baskets": ((300, 60, 500), 1)}
SWEEP = 1 << 22  # bytes of a pread


# ---- what is compared --------------------------------------------------------------------------


def base_tree() -> Path:
    tree = TOP / "build" / f"base-{BASE}"
    if not tree.exists():
        subprocess.run(["git", "-C", TOP, "worktree", "prune"], check=True)
        subprocess.run(["git", "-C", TOP, "worktree", "add", "--detach", tree, BASE], check=True,
                       capture_output=True)
    subprocess.run(["make", "-C", tree, "build/libcupping.so"], check=True, stdout=subprocess.DEVNULL)
    return tree


def write(path: Path, branches: int, baskets: int, entries: int) -> None:
    """Not compressed: reading is all that there is to do."""
    import branches_files
    import uproot

    def columns(rng, count):
        return {f"b{i:03d}": branches_files.flat(rng, count) for i in range(branches)}

    with uproot.recreate(path, compression=None) as file:
        branches_files.tree(file, "tree", 1, columns, baskets, entries)


def sweep(path: str, size: int, rounds: int) -> list[float]:
    """Runs in a task: microseconds of CPU for a MB, of each round through the file."""
    import os
    import time

    fd, buffer, found = os.open(path, os.O_RDONLY), bytearray(size), []
    for _ in range(rounds):
        done, start = 0, time.thread_time_ns()
        while count := os.preadv(fd, [buffer], done):
            done += count
        found.append((time.thread_time_ns() - start) / 1e3 / (done / 1e6))
    os.close(fd)
    return found


class Side:
    """A cluster of one worker with one thread under a library."""

    def __init__(self, top: Path, where: Path):
        from distributed import Client

        self.profile, self.where = where / "profile", where
        where.mkdir()
        environment = {name: value for name, value in os.environ.items()
                       if name != "LD_PRELOAD" and not name.startswith("CUPPING_")}
        environment["LD_PRELOAD"] = str(top / "build/libcupping.so")
        environment["CUPPING_DIR"] = str(self.profile)
        environment["PYTHONPATH"] = str(HERE.parent / "workloads")
        self.environment = environment
        self.profile.mkdir()
        file = where / "scheduler.json"
        self.programs = [self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                                    "--scheduler-file", file)]
        while not file.exists():
            time.sleep(0.05)
        self.programs.append(self.start("worker", "--scheduler-file", file, "--no-dashboard", "--nthreads",
                                        "1", "--memory-limit", "0", "--local-directory", where / "scratch"))
        self.client = Client(scheduler_file=str(file))
        self.client.wait_for_workers(1)

    def start(self, verb: str, *words):
        with open(self.where / f"{verb}.log", "wb") as log:
            return subprocess.Popen([Path(sys.executable).parent / "dask", verb, *map(str, words)],
                                    env=self.environment, stdout=log, stderr=log)

    def cpu_s(self) -> float:
        return next(iter(self.client.run(time.process_time).values()))

    def round(self, path: Path, times: int) -> tuple[float, float]:
        import branches_tasks

        read = {"how": "arrays", "tree": "tree", "branches": None, "start": None, "stop": None}
        cpu, wall = self.cpu_s(), time.perf_counter()
        self.client.gather([self.client.submit(branches_tasks.run, str(path), [read], {}, pure=False)
                            for _ in range(times)])
        return self.cpu_s() - cpu, time.perf_counter() - wall

    def sweep(self, path: Path) -> float:
        return min(self.client.submit(sweep, str(path), SWEEP, 10, pure=False).result())

    def stop(self) -> None:
        self.client.close()
        for program in reversed(self.programs):
            program.terminate()
            program.wait()


# ---- what is shown -----------------------------------------------------------------------------


def quartiles(values: list) -> str:
    values = sorted(values)
    return f"{values[0]:.3f} {values[len(values) // 4]:.3f} {values[-1 - len(values) // 4]:.3f} {values[-1]:.3f}"


def show(name: str, off: list, on: list) -> None:
    ratios = [b / a for a, b in zip(off, on)]
    floor = [b / a for a, b in zip(off, off[1:])]
    print(f"  {name:11s} median {statistics.median(on) / statistics.median(off):.4f}"
          f"  min {min(on) / min(off):.4f}  pairs (min, quartiles, max) {quartiles(ratios)}"
          f"  noise floor {quartiles(floor)}  (base: {statistics.median(off):.3f} s)")


def report(profile: Path) -> dict:
    out = subprocess.run([TOP / "build/cupping", "report", profile, "--run", "all", "--json", "-"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


class Series:
    """What was measured of one file, by turns: pairs that stand at the same index."""

    def __init__(self, path: Path, times: int):
        self.path, self.times = path, times
        self.jobs, self.sweeps = ([], []), ([], [])

    def measure(self, sides: list) -> None:
        for side in sides:
            side.round(self.path, 1)  # imports, page cache
        for number in range(ROUNDS):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            for i in order:
                self.jobs[i].append(sides[i].round(self.path, self.times))
            for i in order:
                self.sweeps[i].append(sides[i].sweep(self.path))

    def show(self, name: str) -> None:
        megabytes = self.times * self.path.stat().st_size / 1e6
        print(f"\n{name}: {megabytes:.0f} MB in {self.times} tasks, {STARTS} x {ROUNDS} rounds each")
        for at, what in enumerate(("worker CPU", "wall")):
            show(what, *([one[at] for one in side] for side in self.jobs))
        off, on = self.sweeps
        print(f"  the walk    {min(on) - min(off):+.2f} us/MB  (preads of {SWEEP >> 20} MiB: base {min(off):.1f},"
              f" ours {min(on):.1f}; medians {statistics.median(off):.1f}, {statistics.median(on):.1f})")


def measure_all(where: Path, series: dict) -> Path:
    """Profile of our side, of the last start."""
    for number in range(STARTS):
        sides = [Side(base_tree(), where / f"base-{number}"), Side(TOP, where / f"ours-{number}")]
        try:
            for one in series.values():
                one.measure(sides)
        finally:
            for side in sides:
                side.stop()
    return sides[1].profile


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as directory:
        where = Path(directory)
        series = {}
        for name, (shape, times) in FILES.items():
            series[name] = Series(where / f"{name.replace(' ', '-')}.root", times)
            write(series[name].path, *shape)
        print(f"load of the machine before: {os.getloadavg()[0]:.2f}")
        profile = measure_all(where, series)
        for name, one in series.items():
            one.show(name)
        reported = report(profile)
        rows, seen = reported["branches"]["rows"], reported["health"]["baskets_seen"]
        read = sum(row["baskets"] for row in rows)
        assert read and seen, "the tool was not on"
        print(f"\nthe tool was on: {seen} keys seen, {read} baskets of {len(rows)} branches read")
        print(f"load of the machine after: {os.getloadavg()[0]:.2f} (two clusters of our own in it)")


if __name__ == "__main__":
    main()
