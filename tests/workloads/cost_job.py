"""Jobs whose share of the library's cost is measured (tests/bench/2_cost.py), on a real worker.

    cost_job.py JOB --scheduler ADDRESS --json OUT       writes {"wall": seconds}
"""

import argparse
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from distributed import Client


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


def main():
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(1 << 20))
        file.flush()
        jobs = {"no-op tasks": (nothing, range(10_000)), "small allocations": (allocate_small, range(1000)),
                "preads of 4 KiB": (read_pages, [file.name] * 50), "thread pool": (use_pool, range(100))}
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("job", choices=jobs)
        parser.add_argument("--scheduler", required=True)
        parser.add_argument("--json", required=True)
        args = parser.parse_args()
        function, inputs = jobs[args.job]
        with Client(args.scheduler) as client:
            client.wait_for_workers(1)
            start = time.time()
            client.gather(client.map(function, inputs, pure=False))
            wall = time.time() - start
    with open(args.json, "w") as out:
        json.dump({"wall": wall}, out)


if __name__ == "__main__":
    main()
