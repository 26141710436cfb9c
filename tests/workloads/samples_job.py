"""Run tasks in two spans on two workers, write down what Dask itself says of them, kill a worker.

    samples_job.py ADDRESS OUT.JSON

Written, once all is quiet: {"workers": {address: {"pid", "digests": {key: value}, "info"}},
"killed": its address, "spans": {id: name}, "distributed"}. A key is its parts with / between them.
"""

import json
import os
import signal
import sys
import time

import distributed
from distributed import Client, span, wait


def nap(seconds):
    time.sleep(seconds)
    return bytes(1000)


def told_by_worker(dask_worker):
    digests = {
        "/".join(map(str, key)): value
        for key, value in dask_worker.digests_total.items()
        if isinstance(key, tuple) and key[0] == "execute"
    }
    return {"pid": os.getpid(), "digests": digests}


def reported_by_scheduler(dask_scheduler):
    spans = dask_scheduler.extensions["spans"].spans
    workers = {
        ws.address: {
            "threads": ws.nthreads,
            "memory_limit": ws.memory_limit,
            "name": str(ws.name),
            "status": ws.status.name,
            "time": ws.metrics["time"],
            "rss": ws.metrics["memory"],
            "cpu": ws.metrics["cpu"],
            "num_fds": ws.metrics["num_fds"],
        }
        for ws in dask_scheduler.workers.values()
    }
    return {"spans": {id: "/".join(span.name) for id, span in spans.items()}, "workers": workers}


def main() -> None:
    address, out = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(2)
    for names in (("phase1",), ("phase2", "sub")):
        with span(*names):
            futures = client.map(nap, [0.1] * 12, key=names[-1], pure=False)
            wait(futures)
        del futures
    time.sleep(1.5)  # several samples in which nothing changes
    workers = client.run(told_by_worker)
    reported = client.run_on_scheduler(reported_by_scheduler)
    for name, info in reported["workers"].items():
        workers[name]["info"] = info
    killed = sorted(workers)[0]
    with open(out, "w") as file:
        json.dump({"workers": workers, "killed": killed, "spans": reported["spans"],
                   "distributed": distributed.__version__}, file)
    time.sleep(0.5)
    os.kill(workers[killed]["pid"], signal.SIGKILL)
    while killed in client.scheduler_info()["workers"]:
        time.sleep(0.05)
    client.wait_for_workers(2)
    time.sleep(0.5)


if __name__ == "__main__":
    main()
