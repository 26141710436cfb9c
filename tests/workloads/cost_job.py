"""Jobs whose share of the library's cost is measured (tests/bench/2_cost.py), on a real worker.

    cost_job.py JOB --scheduler ADDRESS --json OUT       writes {"wall": seconds}

"XRootD" starts a server with the demo's files, which must exist. "steady state" submits tasks of about
a second for COST_STEADY seconds.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from distributed import Client, as_completed

DATA = Path(__file__).resolve().parent.parent.parent / "build/demo-data/ttree-600000"
STEADY_S = float(os.environ.get("COST_STEADY", "600"))


def nothing(number):
    return number


def allocate_small(number):
    """About 10 ms of small objects."""
    return sum(len([str(k), [k], {k: number}]) for k in range(12_000))


def read_pages(path):
    with open(path, "rb") as file:
        return sum(len(os.pread(file.fileno(), 4096, 4096 * (k % 256))) for k in range(20_000))


def square(number):
    return sum(k * k for k in range(number % 50))


def use_pool(number):
    with ThreadPoolExecutor(4) as pool:
        return sum(pool.map(square, range(1000)))


def read_muons(url, start):
    """What a chunk does: opens a file, reads a few branches of a range of entries, computes."""
    import awkward as ak
    import uproot

    with uproot.open(f"{url}:Events") as tree:
        muons = tree.arrays(["Muon_pt", "Muon_eta", "Muon_phi"], entry_start=start, entry_stop=start + 12_500)
    return float(ak.sum(muons.Muon_pt[abs(muons.Muon_eta) < 2.4])) + float(ak.max(ak.flatten(muons.Muon_phi)))


def chunks(root):
    """(file, first entry) of all chunks of the demo, below a directory or the URL of a server."""
    return [(f"{root}/{file.name}", start) for file in sorted(DATA.glob("*.root")) for start in range(0, 100_000, 12_500)]


@contextlib.contextmanager
def xrootd_server():
    """The URL of a server of the demo's files. It refuses to be root, so it becomes nobody."""
    with tempfile.TemporaryDirectory() as directory, socket.socket() as probe:
        shutil.copytree(DATA, f"{directory}/files")
        os.makedirs(f"{directory}/admin")
        for path in (directory, f"{directory}/admin"):
            os.chmod(path, 0o777)
        probe.bind(("", 0))
        port = probe.getsockname()[1]
        probe.close()
        Path(directory, "settings").write_text(
            f"xrd.port {port}\nxrd.protocol xroot *\nall.export /\noss.localroot {directory}/files\n"
            f"all.adminpath {directory}/admin\nall.pidpath {directory}/admin\n")
        server = subprocess.Popen(["xrootd", "-c", f"{directory}/settings", "-l", f"{directory}/admin/log",
                                   *["-R", "nobody"] * (os.geteuid() == 0)])
        try:
            while server.poll() is None and socket.socket().connect_ex(("localhost", port)):
                time.sleep(0.1)
            assert server.poll() is None, "the XRootD server does not start"
            yield f"root://localhost:{port}/"
        finally:
            server.kill()
            server.wait()


def work_for_a_second(round_number):
    """The chunks of a file, as often as a second allows, with pauses: a worker is never all busy."""
    end = time.time() + 1
    files = chunks(DATA)
    while time.time() < end:
        read_muons(*files[round_number % len(files)])
        time.sleep(0.05)
    return round_number


def map_all(client, function, inputs):
    client.gather(client.map(function, *inputs, pure=False))


def keep_busy(client, function, _inputs):
    """Two tasks at a time, until the time is over; their keys are forgotten, as in a long job."""
    end, number = time.time() + STEADY_S, 0
    running = as_completed([])
    while time.time() < end or running.count():
        while time.time() < end and running.count() < 3:
            running.add(client.submit(function, number, pure=False))
            number += 1
        next(running).result()


def main():
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(tempfile.NamedTemporaryFile())
        file.write(bytes(1 << 20))
        file.flush()
        jobs = {"no-op tasks": (nothing, [range(10_000)]), "small allocations": (allocate_small, [range(1000)]),
                "preads of 4 KiB": (read_pages, [[file.name] * 50]), "thread pool": (use_pool, [range(100)]),
                "XRootD": (read_muons, []), "steady state": (work_for_a_second, [])}
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("job", choices=jobs)
        parser.add_argument("--scheduler", required=True)
        parser.add_argument("--json", required=True)
        args = parser.parse_args()
        function, inputs = jobs[args.job]
        if args.job == "XRootD":
            inputs = zip(*chunks(stack.enter_context(xrootd_server())) * 4)
        with Client(args.scheduler) as client:
            client.wait_for_workers(1)
            start = time.time()
            (keep_busy if args.job == "steady state" else map_all)(client, function, inputs)
            wall = time.time() - start
    with open(args.json, "w") as out:
        json.dump({"wall": wall}, out)


if __name__ == "__main__":
    main()
