"""A task that reads a file of an XRootD server, and what its client measured of the requests.

    xrootd_bursts.py URL SIZE        SIZE requests are out at a time; 320 of them

Prints JSON: the requests' median duration and that below which the fastest tenth is, in seconds, and
how many were out at a time on average."""

import json
import sys
import threading
import time

from run_task import run
from XRootD import client

REQUESTS, BYTES = 320, 2 << 20  # so large that a request takes much longer than the Python code around it


def read_burst(file, size):
    took, done = [], threading.Semaphore(0)

    def answered(status, *_):
        assert status.ok, status.message
        took.append(time.perf_counter() - start)
        done.release()

    start = time.perf_counter()
    for at in range(size):
        file.read(at * 1000, BYTES, callback=answered)
    for _ in range(size):
        done.acquire()
    return took


def read(url, size):
    file, took, busy = client.File(), [], 0
    assert file.open(url)[0].ok
    for _ in range(REQUESTS // size):
        burst = read_burst(file, size)
        busy += max(burst)
        took += burst
    file.close()
    took.sort()
    print(json.dumps({"p50": took[REQUESTS // 2], "p10": took[REQUESTS // 10], "out": sum(took) / busy}))


if __name__ == "__main__":
    run("reads", lambda: read(sys.argv[1] + "/0.root", int(sys.argv[2])))
