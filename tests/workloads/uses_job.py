"""Tasks that read, allocate and use the CPU in known places.

    uses_job.py ADDRESS INPUT DIRECTORY     INPUT: with what mktree.py wrote

Written: DIRECTORY/expected.json, {key: {"lines": {text of a line below: least bytes read by it},
"alloc": {function: bytes}, "cpu": {function: share}}}; see uses_check.py.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import uproot
from distributed import Client


# ---- reads -------------------------------------------------------------------------------------


def reads_branches(path, source):
    handler = getattr(uproot, source) if source else None
    with uproot.open({path: "Events"}, **({"handler": handler} if handler else {})) as tree:  # open
        tree["Muon_pt"].array()  # one
        tree.arrays(["Jet_pt", "Jet_eta", "MET_pt"])  # several
        return {"one": tree["Muon_pt"].compressed_bytes,
                "several": sum(tree[name].compressed_bytes for name in ("Jet_pt", "Jet_eta", "MET_pt"))}


def read_part(path, start, size):
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        return len(file.read(size))


def reads_by_pool(path):
    with ThreadPoolExecutor(3) as pool:
        parts = [pool.submit(read_part, path, i << 16, 1 << 16) for i in range(8)]  # submit
        done = sum(part.result() for part in parts)  # result
    return {"submit or result": done, "itself": read_part(path, 0, 300000)}  # itself


def reads_little(path):
    descriptor = os.open(path, os.O_RDONLY)
    for i in range(300):
        os.pread(descriptor, 100, i)  # seldom
        time.sleep(1e-4)
    os.close(descriptor)
    return {"seldom": 30000}


def read_page(depth, descriptor):
    return read_page(depth - 1, descriptor) if depth else len(os.pread(descriptor, 4096, 0))


def reads_by_turns(path):
    """Two lines whose reads follow each other within microseconds, and differ in an outer function only."""
    descriptor = os.open(path, os.O_RDONLY)
    done = {"first": 0, "second": 0}
    for _ in range(300):
        done["first"] += read_page(8, descriptor)  # first
        done["second"] += read_page(8, descriptor)  # second
    os.close(descriptor)
    return done


# ---- allocations -------------------------------------------------------------------------------


def takes_small(count):
    for _ in range(count):
        bytearray(3000)


def takes_medium(count):
    for _ in range(count):
        bytearray(200000)


def takes_large(count):
    for _ in range(count):
        bytearray(20 << 20)


ALLOCATIONS = {takes_small: (200000, 3000), takes_medium: (3000, 200000), takes_large: (20, 20 << 20)}


def allocates():
    for function, (count, _) in ALLOCATIONS.items():
        function(count)
    return {function.__name__: count * size for function, (count, size) in ALLOCATIONS.items()}


# ---- CPU ---------------------------------------------------------------------------------------


def spin(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(i * i for i in range(500))


def half(seconds):
    spin(seconds / 2)


def third(seconds):
    spin(seconds * 3 / 10)


def fifth(seconds):
    spin(seconds / 5)


def computes(seconds):
    for function in (half, third, fifth):
        function(seconds)
        time.sleep(seconds / 20)
    return {"half": 0.5, "third": 0.3, "fifth": 0.2}


def computes_in_pool(seconds):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(computes, seconds).result()


# ---- the job -----------------------------------------------------------------------------------


def main(address, given, directory):
    filesets = json.loads((Path(given) / "files.json").read_text())["fileset"]
    files = [file for fileset in filesets.values() for file in fileset]
    plain = Path(directory) / "plain.dat"
    plain.write_bytes(os.urandom(1 << 20))
    expected = {}
    with Client(address) as client:
        def run(kind, function, *arguments):
            future = client.submit(function, *arguments, key=f"{function.__name__}-{len(expected)}", pure=False)
            expected[future.key] = {kind: future.result()}

        for source in (None, "MultithreadedFileSource", None):
            run("lines", reads_branches, files[0], source)
        run("lines", reads_by_pool, str(plain))
        run("lines", reads_little, str(plain))
        run("lines", reads_by_turns, str(plain))
        run("alloc", allocates)
        run("cpu", computes, 3.0)
        run("cpu", computes_in_pool, 3.0)
    (Path(directory) / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main(*sys.argv[1:])
