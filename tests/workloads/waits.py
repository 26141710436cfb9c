"""Where the tasks' non-CPU time goes: workloads with known waits, compared with cupping's report.

    waits.py [--threads 1,4] [--only NAME,NAME] [--rounds N] [--directory DIR]

Every workload of waits_tasks.py runs on clusters of one worker, with as many tasks at a time as the
worker has threads; `demo` is Coffea's demo job, of which only is asked that little is left without
a class. Each class of each task must be right within 5 % or 2 ms, whichever is more. One task of a
line may be off, if their mean is not: a virtual machine's host takes its cores away for some
milliseconds now and then, and no clock of the guest shows from whom. Printed: a line for each
workload and class with anything in it, means over tasks, and the largest error. Exit status 1 if
anything is wrong.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import cluster
import slow_mount
import waits_tasks
from cluster import TOP, Process, Stop, say
from distributed import Client, wait
from waits_tasks import PARTS, WORKLOADS

HERE = TOP / "tests" / "workloads"
OUTSIDE_S = 0.05  # at most in a row, beside what the task measured of itself and waits for a core
CLASSES = ("io", "gil", "lock", "sleep", "poll", "run_delay", "fault", "other")
SHARE, LEAST_S = 0.05, 0.002  # how wrong a class may be
NOTICED_S = 0.001  # less than that is no line of the table
DEMO_OTHER = 0.05
MOUNT_MS = 20
ENVIRONMENT = {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--threads", default="1,4", help="of the worker: a cluster for each number")
    add("--only", default="all,demo", help="these workloads, separated by commas; all: but demo")
    add("--rounds", type=int, default=3)
    add("--events", type=int, default=300_000, help="of the demo job")
    add("--directory", type=Path, default=TOP / "build" / "waits")
    add("--truth-only", action="store_true", help="show what tasks say of themselves")
    return parser.parse_args()


def column(part):
    return f"{part}_s" if part.endswith(("sleep", "run_delay")) else f"{part}_wait_s"


# --- what tasks need ---------------------------------------------------------------------------------

def write(path, size):
    with open(path, "wb") as file:
        file.write(os.urandom(size))
        os.fsync(file.fileno())
    return str(path)


class World:
    """Files, and processes that make tasks wait."""

    def __init__(self, directory):
        self.directory = directory
        directory.mkdir(parents=True)
        fifos = [str(directory / f"fifo-{i}") for i in range(PARTS)]
        for fifo in fifos:
            os.mkfifo(fifo)
        self.given = {
            "libtruth": str(TOP / "build" / "tests" / "trace" / "libtruth.so"),
            "scratch": str(directory), "fifos": fifos, "flock": str(directory / "flock"),
            "cached": write(directory / "cached", 8 << 20),
            "large": write(directory / "large", 20 << 20),
            "cold": [write(directory / f"cold-{i}", 16 << 20) for i in range(PARTS)],
        }
        Path(self.given["cached"]).read_bytes()
        self.missing = {}
        self.run("feed", *fifos)
        self.run("lock", self.given["flock"])
        port = directory / "port"
        server = self.run("serve", port)
        self.wait_for(port.exists, server)
        self.given["port"] = int(port.read_text())
        self.mount()

    def run(self, verb, *rest):
        return Process(verb, [sys.executable, HERE / "waits_world.py", verb, *rest], self.directory)

    @staticmethod
    def wait_for(ready, process):
        while not ready():
            if process.ended():
                raise process.failure()
            cluster.pause(0.02)

    def mount(self):
        """Containers and ordinary users have no mounts."""
        where = self.directory / "mount"
        where.mkdir()
        self.given["mount"] = str(where)
        process = Process("mount", [sys.executable, HERE / "slow_mount.py", where, MOUNT_MS],
                          self.directory)
        try:
            self.wait_for(lambda: os.path.ismount(where), process)
        except Stop as stop:
            if process.popen.returncode != slow_mount.CANNOT_MOUNT:
                raise
            self.missing["mount"] = str(stop).splitlines()[-2]

    def why_not(self, workload):
        """Why a workload cannot be had here, or None."""
        return self.missing.get(workload.needs)

    def burn(self, count):
        return [self.run("burn") for _ in range(count)]


# --- the runs ----------------------------------------------------------------------------------------

def stolen_s():
    """What the host of a virtual machine has taken: neither CPU time nor run delay of anybody, so
    that it seems to be a wait."""
    with open("/proc/stat") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


numbers = itertools.count()  # of all tasks of all clusters: each has files of its own


class Run:
    """A cluster of one worker and its tasks."""

    def __init__(self, threads, directory):
        self.threads = threads
        self.directory, self.profile = directory, directory / "profile"
        self.truths = []  # (workload, key, what the task said)

    def start(self):
        cupping = [TOP / "wrappers" / "cupping-run", "-o", self.profile, "--"]
        dask, file = Path(sys.executable).parent / "dask", self.directory / "scheduler.json"
        self.scheduler = Process("scheduler", [
            *cupping, dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", file], self.directory)
        address = cluster.scheduler_address(file, self.scheduler)
        self.worker = Process("worker", [
            *cupping, dask, "worker", address, "--no-dashboard", "--nthreads", self.threads,
            "--local-directory", self.directory / "scratch", "--death-timeout", "60"],
            self.directory)
        self.client = Client(address)
        self.client.wait_for_workers(1, timeout=60)

    def stop(self):
        self.client.close()
        self.worker.finish(60)
        self.scheduler.finish(60)

    def group(self, name, given):
        """As many tasks at a time as there are threads."""
        begun, stolen = [], stolen_s()
        for _ in range(self.threads):
            number = next(numbers)
            begun.append((f"{name}-{self.threads}-{number}", number))
        futures = [self.client.submit(waits_tasks.run, name, given, number, key=key, pure=False)
                   for key, number in begun]
        wait(futures, timeout=120)
        cluster.pause(0)
        stolen = stolen_s() - stolen
        for (key, _), future in zip(begun, futures):
            truth = future.result()
            truth["loose"] = truth.get("loose", 0) + stolen
            self.truths.append((name, key, truth))

    def workload(self, name, world, rounds):
        workload = WORKLOADS[name]
        burners = world.burn(workload.burners)
        if workload.other:
            self.client.run(waits_tasks.start_other, workload.other, world.given)
        for _ in range(rounds):
            self.group(name, world.given)
        if workload.other:
            self.client.run(waits_tasks.stop_other, workload.other)
        for burner in burners:
            burner.popen.kill()
            burner.popen.wait()


def rows_of(profile, directory):
    file = directory / "tasks.json"
    subprocess.run([TOP / "build" / "cupping", "tasks", profile, "--json", file], check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads(file.read_text())["tasks"]


def run_demo(args, directory):
    """Coffea's job with four threads: rows of its tasks."""
    profile = directory / "profile"
    Process("demo", [sys.executable, HERE / "cluster.py", "--events", args.events, "--threads", 4,
                     "--no-report", "-o", profile, "--logs", directory / "logs"], directory).wait(600)
    return rows_of(profile, directory)


# --- the judge ---------------------------------------------------------------------------------------

def is_right(line):
    error = abs(line["measured"] - line["expected"])
    return line["off"] <= 1 and error <= line["allowed"]


class Table:
    """Lines by (workload, threads, class): tasks, sums, the largest error, tasks that are off."""

    def __init__(self):
        self.lines, self.complaints = {}, []

    def add(self, key, expected, measured, allowed):
        line = self.lines.setdefault(key, dict.fromkeys(
            ("tasks", "expected", "measured", "error", "allowed", "off"), 0))
        error = measured - expected
        line["tasks"] += 1
        line["expected"] += expected
        line["measured"] += measured
        line["allowed"] += allowed
        line["off"] += abs(error) > allowed
        line["error"] = max(line["error"], error, key=abs)

    def complain(self, text):
        self.complaints.append(text)

    def show(self):
        print(f"{'workload':20s} threads tasks {'class':17s} {'expected':>10s} {'measured':>10s} "
              f"{'largest error':>13s}  s/task")
        for (workload, threads, part), line in self.lines.items():
            means = [line[name] / line["tasks"] for name in ("expected", "measured")]
            if max(map(abs, means)) < NOTICED_S and not line["off"]:
                continue
            off = f" but for {line['off']}" * bool(line["off"])
            verdict = "right" + off if is_right(line) else f"WRONG in {line['off']}"
            print(f"{workload:20s} {threads:7d} {line['tasks']:5d} {part:17s} {means[0]:10.4f} "
                  f"{means[1]:10.4f} {line['error']:+13.4f}  {verdict}")
        for text in self.complaints:
            print(text)

    def is_right(self):
        return not self.complaints and all(map(is_right, self.lines.values()))


def check_balance(table, row):
    """What holds for every row: no class is negative, and the classes add up."""
    values = [row[column(part)] for part in CLASSES]
    if None in values:
        table.complain(f"{row['key']}: a class is null: {values}")
    elif min(values) < 0 or abs(sum(values) - row["noncpu_s"]) > 1e-5:
        table.complain(f"{row['key']}: {values} do not add up to {row['noncpu_s']}")
    return None not in values


def settle_gil(truth, helpers, rest, row):
    """Waits in Python's own calls end with a wait for the GIL. Only cupping knows how long that one
    was, but it was no longer than other threads can have held the GIL. The waits of helpers come
    first, because the task waited during them, too."""
    most, gil = truth["gil_at_most"], 0
    for part in helpers:
        gil = min(row[column("helper_gil")], most)
        truth["helper_gil"] = gil
        truth[part] -= gil
        if part.removeprefix("helper_") in truth:
            truth[part.removeprefix("helper_")] -= gil
        else:
            truth[rest] -= gil
    truth["gil"] = min(row["gil_wait_s"], most)
    truth[rest] -= truth["gil"] - gil
    if helpers:  # for its own, the task did not wait for them
        truth["loose"] += max(0.0, truth["gil"] - gil)


def judge_task(table, workload, threads, row, truth):
    """Around the workload a task does little; why it lost its core there cannot be known."""
    outside = max(0.0, row["wall_s"] - truth["wall"])
    helpers = {part for part in truth if part.startswith("helper_")}
    if "gil_at_most" in truth:
        settle_gil(truth, helpers, WORKLOADS[workload].rest, row)
    if outside > (row["run_delay_s"] or 0) + OUTSIDE_S:
        table.complain(f"{row['key']}: the row has {outside:.3f} s more than the task measured")
    loose = outside + truth["loose"]
    for part in ("cpu", *CLASSES, *sorted(helpers)):
        expected = truth.get(part, 0)
        measured = row["cpu_s"] if part == "cpu" else row[column(part)]
        if measured is None:
            table.complain(f"{row['key']}: {part} is null")
            continue
        table.add((workload, threads, part), expected, measured,
                  max(SHARE * expected, LEAST_S) + loose)


def judge(table, run, rows):
    found = {}
    for row in rows:
        found.setdefault(row["key"], []).append(row)
    for workload, key, truth in run.truths:
        mine = found.get(key, [])
        if len(mine) != 1:
            table.complain(f"{key} has {len(mine)} rows")
        elif check_balance(table, mine[0]):
            judge_task(table, workload, run.threads, mine[0], truth)


def judge_demo(table, rows):
    rows = [row for row in rows if row["status"] == "finished" and check_balance(table, row)]
    total = sum(row["noncpu_s"] for row in rows)
    for part in CLASSES:
        seconds = sum(row[column(part)] for row in rows)
        print(f"demo, 4 threads: {column(part):13s} {seconds:8.3f} s of {total:.3f} s "
              f"({100 * seconds / total:4.1f} %)")
    if sum(row["other_wait_s"] for row in rows) > DEMO_OTHER * total:
        table.complain(f"demo: more than {100 * DEMO_OTHER:.0f} % of non-CPU time has no class")


def show_truth(run):
    for workload, key, truth in run.truths:
        parts = ", ".join(f"{part} {seconds:.4f}" for part, seconds in truth.items())
        print(f"{workload:20s} {run.threads} {parts}")


# --- the whole ---------------------------------------------------------------------------------------

def chosen(only, world):
    """Names of the workloads that are wanted and can be had."""
    names = [name for name in only if name not in ("all", "demo")]
    if unknown := set(names) - set(WORKLOADS):
        raise Stop(f"no such workload: {', '.join(unknown)}", 2)
    names = list(WORKLOADS) if "all" in only else names
    for name in names:
        if reason := world.why_not(WORKLOADS[name]):
            say(f"{name} is left out: {reason}")
    return [name for name in names if not world.why_not(WORKLOADS[name])]


def run_workloads(args, names, world, table):
    for threads in map(int, args.threads.split(",")):
        directory = args.directory / f"{threads}"
        directory.mkdir()
        run = Run(threads, directory)
        run.start()
        begun = time.monotonic()
        for name in names:
            run.workload(name, world, args.rounds)
        run.stop()
        say(f"{threads} thread(s): {len(run.truths)} tasks, {time.monotonic() - begun:.1f} s")
        (directory / "truths.json").write_text(json.dumps(run.truths, indent=1))
        if args.truth_only:
            show_truth(run)
        else:
            judge(table, run, rows_of(run.profile, directory))


def whole(args):
    shutil.rmtree(args.directory, ignore_errors=True)
    args.directory.mkdir(parents=True)
    only, table = args.only.split(","), Table()
    if set(only) != {"demo"}:
        world = World(args.directory / "world")
        run_workloads(args, chosen(only, world), world, table)
    if "demo" in only:
        directory = args.directory / "demo"
        directory.mkdir()
        judge_demo(table, run_demo(args, directory))
    table.show()
    print("all right" if table.is_right() else "WRONG")
    return 0 if table.is_right() else 1


def main():
    os.environ.update(ENVIRONMENT)
    return cluster.guarded("waits", whole, arguments())


if __name__ == "__main__":
    sys.exit(main())
