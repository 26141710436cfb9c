"""Tasks that read files in order, backwards, twice, at random, by threads, by fsspec and uproot, and
one whose worker is killed. Each knows where it read.

    access_job.py DIRECTORY

Written: DIRECTORY/expected.json, {key: {file: [[offset, end, bytes, calls], ...]}}: what the task did
to the file, read by read in the order of time; calls null where they are not known."""

import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import fsspec
import numpy as np
import uproot
from distributed import Client, LocalCluster

BLOCK = 1 << 20
BLOCKS = 12


def pread(path, reads):
    fd = os.open(path, os.O_RDONLY)
    for low, size in reads:
        assert len(os.pread(fd, size, low)) == size
    os.close(fd)
    return [[low, low + size, size, 1] for low, size in reads]


def blocks(numbers):
    return [(number * BLOCK, BLOCK) for number in numbers]


def shuffled(count, seed):
    """No two of them follow each other."""
    order = np.random.default_rng(seed).permutation(count).tolist()
    while any(b == a + 1 for a, b in zip(order, order[1:])):
        order = np.random.default_rng(seed := seed + 1).permutation(count).tolist()
    return order


def by_seeks(path):
    with open(path, "rb", buffering=0) as file:
        return [[at, at + len(part), len(part), 1] for at in (5 * BLOCK, BLOCK, 0)
                if file.seek(at) == at and (part := file.read(BLOCK // 2))]


def by_threads(path):
    """Each part by one thread; there is a gap between two of them."""
    parts = [blocks(range(3 * part, 3 * part + 2)) for part in range(4)]
    with ThreadPoolExecutor(4) as pool:
        return [read for reads in pool.map(lambda part: pread(path, part), parts) for read in reads]


def by_fsspec(path):
    """Merged and cut as fsspec likes: only the bytes are known."""
    ranges = [(0, 1000), (3 * BLOCK, 3 * BLOCK + 70000), (9 * BLOCK, 9 * BLOCK + 5000)]
    system = fsspec.filesystem("file")
    parts = system.cat_ranges([path] * 3, *map(list, zip(*ranges)))
    assert [len(part) for part in parts] == [stop - start for start, stop in ranges]
    return [[start, stop, stop - start, None] for start, stop in ranges]


def by_uproot(path):
    with uproot.open(path) as file:
        assert len(file["Events"]["x"].array(library="np")) == 200000
        branch = file["Events"]["x"]
        return [[int(branch.member("fBasketSeek")[i]),
                 int(branch.member("fBasketSeek")[i] + branch.member("fBasketBytes")[i]), None, None]
                for i in range(branch.num_baskets)]


def read_and_die(path, mark):
    done = pread(path, blocks([3, 4, 1]))
    Path(mark).write_text(json.dumps(done))
    os.kill(os.getpid(), signal.SIGKILL)


TASKS = {
    "order": (pread, blocks(range(BLOCKS))),
    "back": (pread, blocks(reversed(range(BLOCKS)))),
    "twice": (pread, blocks(list(range(BLOCKS)) * 2)),
    "same": (pread, [(4096, 512)] * 5),
    "gaps": (pread, [(at * 30000, 10000) for at in range(20)]),
    "shuffled": (pread, blocks(shuffled(BLOCKS, 1))),
    "random": (pread, [(at * 50000, 1000) for at in shuffled(200, 2)]),
    "seeks": (by_seeks,),
    "threads": (by_threads,),
    "fsspec": (by_fsspec,),
    "uproot": (by_uproot,),
}


def write(directory, key):
    path = str(directory / f"{key}.{'root' if key == 'uproot' else 'bin'}")
    if key != "uproot":
        Path(path).write_bytes(np.random.default_rng(7).bytes(BLOCKS * BLOCK))
        return path
    with uproot.recreate(path) as file:
        tree = file.mktree("Events", {name: "float64" for name in "wxyz"})
        for part in range(4):
            columns = np.random.default_rng(part).normal(size=(4, 50000))
            tree.extend(dict(zip("wxyz", columns)))
    return path


def main():
    directory = Path(sys.argv[1])
    expected = {}
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        for key, (function, *arguments) in TASKS.items():
            path = write(directory, key)
            expected[key] = {path: client.submit(function, path, *arguments, key=key).result()}
        path, mark = write(directory, "killed"), directory / "mark"
        client.submit(read_and_die, path, str(mark), key="killed").exception()
        while not mark.exists():
            time.sleep(0.05)
        expected["killed"] = {path: json.loads(mark.read_text())}
    (directory / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
