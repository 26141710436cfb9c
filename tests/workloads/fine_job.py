"""Tasks in two spans on two workers that measure something of their own, spill and exchange data;
then write down what Dask itself says of all that.

    fine_job.py ADDRESS OUT.JSON

Written, once all is quiet: {"workers": {address: {key: value}}, "spans": {id: {"name", "metrics":
{key: value}}}}, with the workers' digests_total, and what the scheduler has added up for each span. A
key is context|span|prefix|activity|unit; one that is a tuple as Python writes it.
"""

import json
import sys
import time

from distributed import Client, span, wait
from distributed.metrics import context_meter


def work(i):
    with context_meter.meter("calibration"):
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
    context_meter.digest_metric(("jets", "good"), 3, "count")
    time.sleep(0.01)
    return bytes(10_000_000)


def size(*parts):
    return sum(map(len, parts))


def parts_of(key):
    context, *rest, unit = map(str, key)
    found = [context, "", "", "", unit]
    if context == "execute":
        found[1:3] = rest[:2]
        rest = rest[2:]
    found[3] = "/".join(rest)
    return "|".join(found)


def told_by_worker(dask_worker):
    return {parts_of(k): v for k, v in dask_worker.digests_total.items() if isinstance(k, tuple)}


def reported_by_scheduler(dask_scheduler):
    return {
        id: {
            "name": "/".join(s.name),
            "metrics": {
                "|".join(map(str, k)): v for k, v in s.cumulative_worker_metrics.items() if len(k) == 4
            },
        }
        for id, s in dask_scheduler.extensions["spans"].spans.items()
    }


def main() -> None:
    address, out = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(2)
    with span("phase1", "sub"):
        futures = client.map(work, range(24), pure=False)
        wait(futures)
    with span("phase2"):
        sizes = client.map(size, futures, futures[1:] + futures[:1], pure=False)
        wait(sizes)
    del futures, sizes
    time.sleep(1.5)  # heartbeats
    with open(out, "w") as file:
        json.dump({"workers": client.run(told_by_worker), "spans":
                   client.run_on_scheduler(reported_by_scheduler)}, file)


if __name__ == "__main__":
    main()
