"""The battery: every road of battery_tasks.py, four tasks at a time, and what each must have read.

    battery_job.py ADDRESS OUT.JSON DATADIR ROUNDS [ROAD,ROAD...]
    battery_job.py --compare TASKS.JSON OUT.JSON      cupping's rows against it, as a table

The worker has four threads. Written: {"expected": [{"road", "group", "mixed", "may_be_none",
"column", "row": {key, attempt, status, column: value, "at_least": {column: value}, "at_most": ...}}],
"skipped": {road: reason}, "rounds", "python"}. "sum": N in a row means the N rows of that
key together. A column that a road does not name must be 0: what is not there was not stolen either.
"""

import asyncio
import bz2
import gzip
import importlib
import inspect
import itertools
import json
import lzma
import os
import platform
import random
import socketserver
import subprocess
import sys
import threading
import time
from pathlib import Path

import battery_tasks as tasks
import distributed.worker
import numpy as np
from battery_tasks import ROADS
from distributed import Client, wait
from distributed.utils import key_split

POOL = 4  # tasks of a group, threads of the worker
VARIANTS = 8  # of prepared files of a kind
MIXED = 6  # groups of four different roads, a round
RARE = 10  # rounds
HANG_S = 300  # more than twice what roads wait for their own parts (battery_tasks.PATIENCE)
HANGS = f"no end in {HANG_S} s"
NOISE = 4095  # bytes that loops and pools send to themselves through sockets
SIZES = itertools.count(10_007, 13)  # of all tasks


# --- what roads read -------------------------------------------------------------------------------

def write_random(path, size, seed):
    path.write_bytes(np.random.default_rng(seed).bytes(size))
    return str(path)


def kernel_count():
    """Bytes that this process was given by read() and the like, as the kernel counts them."""
    fd = os.open("/proc/self/io", os.O_RDONLY)
    text = os.read(fd, 4096)
    os.close(fd)
    return int(text.split()[1]), len(text)


def measured(read, argument):
    """Bytes that READ makes libraries read, once it has imported what it needs. Nothing else may
    run in this process; now and then a new thread has libc count the processors, in /sys."""
    read(argument, 0)
    counts = []
    for _ in range(3):
        before, own = kernel_count()
        read(argument, 0)
        counts.append(kernel_count()[0] - before - own)
    return min(counts)


def prepare_packed(directory, kind, opener):
    for i in range(VARIANTS):
        path = directory / f"{kind}-{i}"
        with opener(path, "wb") as file:
            file.write(np.random.default_rng(i).bytes(20_000 + 7_919 * i))
        yield str(path), path.stat().st_size


def prepare_h5(directory):
    import h5py

    for i in range(VARIANTS):
        path = str(directory / f"h5-{i}")
        with h5py.File(path, "w") as file:
            file["values"] = np.arange(3_000 + 1_009 * i)
        yield path, measured(tasks.h5py_dataset, path)


def prepare_root(directory):
    import uproot

    for i in range(VARIANTS):
        path = str(directory / f"root-{i}.root")
        rng = np.random.default_rng(i)
        with uproot.recreate(path) as file:
            tree = file.mktree("tree", dict.fromkeys("xyz", "f8"))
            for rows in (2_000, 2_000 + 1_009 * i):
                tree.extend({name: rng.random(rows) for name in "xyz"})
        yield path, measured(tasks.uproot_fsspec, path)


def write_parquet(path, rows):
    import pyarrow.parquet

    rng = np.random.default_rng(rows)
    table = pyarrow.table({name: rng.random(rows) for name in "abcd"})
    pyarrow.parquet.write_table(table, path, row_group_size=2_000)
    return str(path)


def prepare_parquet(directory):
    for i in range(VARIANTS):
        path = write_parquet(directory / f"table-{i}.parquet", 5_000 + 1_009 * i)
        yield path, measured(tasks.pyarrow_table, path)


def prepare_dataset(directory):
    for i in range(VARIANTS):
        paths = [write_parquet(directory / f"part-{i}-{part}.parquet", 2_000 + 503 * i + 97 * part)
                 for part in range(3)]
        yield paths, measured(tasks.pyarrow_dataset, paths)


def prepare_plain(directory):
    for i in range(VARIANTS):
        size = 15_000 + 6_007 * i
        yield write_random(directory / f"plain-{i}", size, i), size


PREPARE = {
    "plain": prepare_plain,
    "gzip": lambda directory: prepare_packed(directory, "gzip", gzip.open),
    "bz2": lambda directory: prepare_packed(directory, "bz2", bz2.open),
    "lzma": lambda directory: prepare_packed(directory, "lzma", lzma.open),
    "h5": prepare_h5,
    "root": prepare_root,
    "parquet": prepare_parquet,
    "dataset": prepare_dataset,
}


class Answer(socketserver.StreamRequestHandler):
    """Answers `RAW N` and `GET /N` with N bytes, and each `GET /kept/N` of a connection, too."""

    def handle(self):
        kept = True
        while kept and (line := self.rfile.readline()):
            word, path = line.split()[:2]
            kept, size = path.startswith(b"/kept/"), int(path.split(b"/")[-1])
            if word == b"GET":
                while self.rfile.readline().strip():
                    pass
                self.wfile.write(tasks.http_head(size, "1.1" if kept else "1.0"))
            self.wfile.write(bytes(size))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128


def serve():
    server = Server(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address


# --- the run ---------------------------------------------------------------------------------------

def is_there(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


class Battery:
    def __init__(self, directory, wanted):
        self.directory = directory
        self.data = [write_random(directory / f"data-{i}", 4 * tasks.MB, 100 + i) for i in range(3)]
        self.large = [write_random(directory / f"large-{i}", 42 * tasks.MB, i) for i in range(2)]
        self.roads, self.skipped = {}, {}
        for name, road in ROADS.items():
            missing = [module for module in road.needs if not is_there(module)]
            if name not in wanted and (wanted or road.group == "limits"):
                continue
            elif missing:
                self.skipped[name] = f"no {', '.join(missing)} here"
            else:
                self.roads[name] = road
        if not hasattr(distributed.worker, "context_meter"):
            self.skipped["actor"] = "Dask before 2023.3.2 does not show when a method runs"
        kinds = {road.takes for road in self.roads.values()}
        self.prepared = {kind: itertools.cycle(list(make(directory)))
                         for kind, make in PREPARE.items() if kind in kinds}
        self.expected = []

    def connect(self, address):
        self.client = Client(address)
        self.client.wait_for_workers(1)
        self.server = serve()
        self.client.run(tasks.make_noise, 0)

    def arguments(self, road):
        if road.takes in ("size", "failing"):
            return self.data, next(SIZES)
        if road.takes == "large":
            size = next(SIZES)
            return self.large[size % 2], size
        if road.takes == "server":
            return self.server, next(SIZES)
        return next(self.prepared[road.takes])

    def expect(self, name, key, value, mixed=False, attempt=1, status="finished", **more):
        """VALUE is what a road returned."""
        road = ROADS.get(name) or tasks.Road(None, "kinds", "size", "read_bytes", False, False, ())
        columns = value if isinstance(value, dict) else {road.column: value}
        row = {"key": key, "attempt": attempt, "status": status,
               "at_least": dict(columns.get("at_least", {})),
               "at_most": dict(columns.get("at_most", {}))}
        for column in ("read_bytes", "child_read_bytes", "mapped_bytes", "recv_bytes"):
            if road.may_be_none and column in columns:
                row["at_most"][column] = columns[column]
            elif column in columns:
                row[column] = columns[column]
            elif column == "recv_bytes":
                row["at_most"][column] = NOISE
            elif column not in row["at_most"]:
                row[column] = 0  # a column with bounds has no exact value
        self.expected.append({"road": name, "group": road.group, "mixed": mixed,
                              "column": road.column, "may_be_none": road.may_be_none, "row": {**row, **more}})

    def submit(self, function, *arguments, **options):
        return self.client.submit(function, *arguments, pure=False, **options)

    def group(self, names, label):
        """Four tasks that begin together, in any order. Returns what collect() needs. Another
        group must not come before these have begun: two halves of groups would wait for ever."""
        begun = [(f"{name}-{label}-{i}", name, self.arguments(self.roads[name])) for i, name in enumerate(names)]
        random.shuffle(begun)
        keys, names, arguments = zip(*begun)
        # One graph with four tasks: four graphs cost Dask four times as much.
        futures = self.client.map(
            tasks.run_async if is_async(names[0]) else tasks.run, names, [label] * len(names), [len(names)] * len(names),
            *zip(*arguments), key=list(keys), retries=1 if "fails_first" in names else 0, pure=False)
        return list(zip(keys, names, arguments, futures))

    def collect(self, begun, mixed):
        try:
            wait([future for *_, future in begun], timeout=HANG_S)
        except (TimeoutError, asyncio.TimeoutError):  # the same only since Python 3.11
            sys.exit(self.describe_hang([(key, future) for key, *_, future in begun]))
        values = self.client.gather({key: future for key, name, _, future in begun if name != "raises"})
        for key, name, (_, size), future in begun:
            if name == "raises":
                assert future.status == "error"
                self.expect(name, key, size, mixed, status="erred")
                continue
            value = values[key]
            if name == "fails_first":
                self.expect(name, key, size, mixed, status="erred")
                self.expect(name, key, size + 1000, mixed, attempt=2)
                assert value == size + 1000
                continue
            column_is_size = self.roads[name].takes in ("size", "server", "plain")
            exact = isinstance(value, int) and name != "generator" and "http" not in name
            assert not (column_is_size and exact) or value == size, (key, value, size)
            self.expect(name, key, value, mixed)

    def describe_hang(self, begun):
        """Names the roads that do not end, and says where their threads and child processes are."""
        left = [key for key, future in begun if not future.done()]
        stacks = self.client.run(tasks.describe_threads)
        return f"{HANGS}: {', '.join(left)}\n" + "\n".join(stacks.values())

    def round(self, number):
        groups = [(name, [name] * POOL) for name, road in self.roads.items()
                  if not road.rare or number % RARE == 0]
        random.shuffle(groups)
        common = [name for name, road in self.roads.items() if not road.rare and not is_async(name)
                  and name not in ("raises", "fails_first", "generator")]
        for i in range(MIXED if len(common) >= POOL else 0):
            groups.insert(random.randrange(len(groups)),
                          (f"mixed{i}", random.sample(common, POOL)))
        for label, names in groups:
            self.collect(self.group(names, f"{number}{label}"), label.startswith("mixed"))

    def with_background(self, number):
        """A round beside two tasks that read all the time."""
        stop = self.directory / f"stop-{number}"
        readers = [self.submit(tasks.background, self.data, next(SIZES), str(stop),
                               key=f"background-{number}-{i}") for i in range(2)]
        self.round(number)
        stop.touch()
        for reader in readers:
            self.expect("background", reader.key, reader.result())

    def cancel(self, number):
        notes = []
        for i in range(POOL):
            key, size = f"cancelled-{number}-{i}", next(SIZES)
            note = self.directory / key
            notes.append((key, size, note, self.submit(
                tasks.cancelled, self.data, size, str(note), key=key)))
        for _, _, note, future in notes:
            wait_for(Path(f"{note}.started"))
            future.cancel()
        time.sleep(0.1)  # the worker hears of it
        for _, _, note, _ in notes:
            Path(f"{note}.go").touch()
        for key, size, note, _ in notes:
            wait_for(note)
            assert int(note.read_text()) == size
            self.expect("cancelled", key, size)
        del notes

    def act(self, number):
        """Actors' calls, beside tasks that read."""
        readers = self.group(["pread" if "pread" in self.roads else next(iter(self.roads))] * POOL,
                             f"{number}beside")
        actors = []
        for i in range(2):
            name = f"actor_{number}_{i}"
            actors.append((name, self.submit(tasks.Actor, self.data, next(SIZES), key=name,
                                             actor=True)))
        actors = [(name, future.result()) for name, future in actors]
        begun = {name: actor.total().result() for name, actor in actors}
        calls = [actor.read(next(SIZES)) for _ in range(3) for _, actor in actors]
        for call in calls:
            call.result()
        for name, actor in actors:
            self.expect("actor", name, begun[name])
            self.expect("actor", f"{key_split(name)}.read", actor.total().result() - begun[name],
                        sum=len(calls) // len(actors))
        self.collect(readers, False)


def is_async(name):
    return inspect.iscoroutinefunction(ROADS[name].function)


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)


def busy_machine():
    return os.getloadavg()[0] > 2 * os.cpu_count()


def burner():
    """Load: a process that burns CPU time for as long as this one lives. A machine that is busy has its load."""
    if busy_machine():
        return subprocess.Popen([sys.executable, "-c", ""])
    program = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(10000))"
    return subprocess.Popen([sys.executable, "-c", program])


def main():
    address, out, directory, rounds = sys.argv[1:5]
    wanted = sys.argv[5].split(",") if len(sys.argv) > 5 else []
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    random.seed(int(os.environ.get("CUP_BATTERY_SEED", "1")))
    battery = Battery(directory, wanted)
    battery.connect(address)
    for number in range(int(rounds)):
        if number % 2 == 0:
            battery.round(number)
        else:
            load = burner()
            battery.with_background(number)
            load.kill()
            load.wait()
        if not wanted or "cancelled" in wanted:
            battery.cancel(number)
        if (not wanted or "actor" in wanted) and not battery.skipped.get("actor"):
            battery.act(number)
    Path(out).write_text(json.dumps({
        "expected": battery.expected,
        "skipped": battery.skipped,
        "rounds": int(rounds),
        "python": platform.python_version(),
    }, indent=1))
    battery.client.close()


# --- the table -------------------------------------------------------------------------------------

COLUMNS = ("read_bytes", "child_read_bytes", "recv_bytes", "mapped_bytes")


def rows_of(path):
    rows = {}
    for row in json.loads(Path(path).read_text())["tasks"]:
        rows.setdefault(row["key"], []).append(row)
    return rows


def chosen(rows, row):
    """Rows of cupping that an expected one is about."""
    return [one for one in rows.get(row["key"], [])
            if row.get("sum") or one["attempt"] == row["attempt"]]


def files_alone(row):
    """What servers sent is part of read_bytes, and is compared as recv_bytes."""
    return row["read_bytes"] - row["server_read_bytes"]


def found(rows, row, column):
    """What cupping says, or None if it does not."""
    values = [files_alone(one) if column == "read_bytes" else one.get(column)
              for one in chosen(rows, row)]
    return None if not values or None in values else sum(values)


def faults(rows, row):
    """What is wrong with a row: [(column, found, expected)]."""
    known = chosen(rows, row)
    if len(known) != row.get("sum", 1):
        return [("number of rows", len(known), row.get("sum", 1))]
    wrong = [("status", one["status"], row["status"]) for one in known
             if one["status"] != row["status"]]
    for column in COLUMNS:
        if column in row and (found(rows, row, column) or 0) != row[column]:
            wrong.append((column, found(rows, row, column), row[column]))
    for word, sign in (("at_least", 1), ("at_most", -1)):
        for column, bound in row[word].items():
            value = found(rows, row, column)
            if sign * (value or 0) < sign * bound:
                wrong.append((column, value, f"{word} {bound}"))
    return wrong


NUMBERS = ("tasks", "wrong", "bytes", "misattributed", "missing", "none")


def judge(tasks_path, out_path):
    """{road: {"group", each of NUMBERS, "examples"}}. What more than a task's own bytes is
    credited to it is misattributed; what is less is none where it may be, else missing."""
    rows, out = rows_of(tasks_path), json.loads(Path(out_path).read_text())
    table = {}
    for one in out["expected"]:
        road, row, may_be_none = one["road"], one["row"], one["may_be_none"]
        line = table.setdefault(road, {"group": one["group"], **dict.fromkeys(NUMBERS, 0),
                                       "examples": []})
        wrong = faults(rows, row)
        line["tasks"] += 1
        line["wrong"] += bool(wrong)
        line["examples"] += [f"{row['key']}: {column} is {value}, not {expected}"
                             for column, value, expected in wrong]
        for column in ("read_bytes", "child_read_bytes", "recv_bytes"):
            silent = may_be_none and column == one["column"]
            target = row["at_most"][column] if silent else row.get(column)
            if target is None:
                continue
            value = found(rows, row, column) or 0
            line["bytes"] += target
            line["misattributed"] += max(0, value - target)
            line["none" if silent else "missing"] += max(0, target - value)
    return table


def add(table, other):
    for road, line in other.items():
        mine = table.setdefault(road, {"group": line["group"], **dict.fromkeys(NUMBERS, 0),
                                       "examples": []})
        for name in (*NUMBERS, "examples"):
            mine[name] += line[name]


def show(table, examples=3):
    """Prints the table and its last line; returns that line's numbers."""
    def text(name, line):
        return (f"{name:28s}{line['group']:11s}{line['tasks']:8,d}{line['wrong']:8,d}"
                f"{line['bytes']:16,d}{line['misattributed']:15,d}{line['missing']:14,d}"
                f"{line['none']:14,d}")

    total = {"group": "", **dict.fromkeys(NUMBERS, 0)}
    print(f"{'road':28s}{'group':11s}{'tasks':>8s}{'wrong':>8s}{'bytes':>16s}"
          f"{'misattributed':>15s}{'missing':>14s}{'none':>14s}")
    for road, line in sorted(table.items(), key=lambda item: (item[1]["group"], item[0])):
        print(text(road, line))
        for example in line["examples"][:examples]:
            print(f"    {example}")
        for name in NUMBERS:
            total[name] += line[name]
    print(text("all", total), flush=True)
    return total


def lost(tasks_path, report_path, out_path):
    """Bytes that the roads read and that are neither a task's nor none: 0."""
    out = json.loads(Path(out_path).read_text())
    all_rows = json.loads(Path(tasks_path).read_text())["tasks"]
    report = json.loads(Path(report_path).read_text())["attribution"]
    expected = sum(one["row"].get("read_bytes", one["row"]["at_most"].get("read_bytes", 0))
                   for one in out["expected"]) + out.get("setstate_bytes", 0)
    return (expected - sum(row["read_bytes"] for row in all_rows) + report["server_read_bytes"]
            - report["read_none_bytes"] - report.get("dask_read_bytes", 0))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(1 if show(judge(*sys.argv[2:4]))["wrong"] else 0)
    main()
