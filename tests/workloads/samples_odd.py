"""A scheduler whose state is not what one expects: samples take what is there and leave the rest.

    samples_odd.py

No cluster: a server that is taken for a scheduler, whose tick is called again and again. Printed:
"same" if that changed no reference count, and whatever the program would see of an exception.
"""

import asyncio
import sys
import time
from types import SimpleNamespace

from distributed.core import Server, Status


class Raises:
    def __len__(self):
        raise RuntimeError("no length")

    def __float__(self):
        raise RuntimeError("no number")

    def __getattr__(self, name):
        raise RuntimeError(name)


class Workers(dict):
    """Like SortedDict."""


def worker(address, **more):
    state = dict(
        address=address, name=address[-1], status=Status.running, nthreads=2, memory_limit=None,
        processing={1: 2}, executing={}, long_running=set(), _has_what={}, nbytes=0,
        _occupancy_cache=None, task_prefix_count={}, _network_occ=0, last_seen=time.time(), metrics={})
    return SimpleNamespace(**{**state, **more})


def heartbeat(**more):
    return {"time": 1e9, "memory": 10**8, "cpu": 50.0, "task_counts": {"executing": 1}, **more}


WORKERS = [
    worker("tcp://1"),  # no heartbeat yet
    worker("tcp://2", metrics=heartbeat(), name=17, memory_limit=10**9),
    worker("tcp://3", metrics=heartbeat(memory=-5, cpu=float("nan"), num_fds=2**80)),
    worker("tcp://4", metrics=heartbeat(spilled_bytes=7, transfer=None, bandwidth=Raises())),
    worker("tcp://5", processing=Raises(), executing=5, nbytes="many", last_seen=1e300),
    worker("tcp://6", metrics=17, status=None, task_prefix_count=Raises(), _network_occ="no"),
    worker("tcp://7", metrics=Raises(), name=Raises(), status=Raises()),
    SimpleNamespace(address="tcp://8"),
    Raises(),
    None,
]
COUNTED = [*WORKERS, *(vars(w).get("metrics") for w in WORKERS[:8]), Status.running,
           WORKERS[1].metrics["task_counts"], WORKERS[3].metrics["bandwidth"]]


def counts():
    return [sys.getrefcount(each) for each in COUNTED]


def tick(server, times):
    for _ in range(times):
        time.sleep(0.021)
        server._measure_tick()


async def main() -> None:
    server = Server({})
    server._address = "tcp://10.0.0.1:8786"
    server.workers = Workers((i, each) for i, each in enumerate(WORKERS))
    server.total_nthreads = "many"
    server.idle = Raises()
    server.queued = SimpleNamespace(_data={1, 2, 3})
    server.extensions = {"spans": SimpleNamespace(spans={
        "5f-1": SimpleNamespace(name=("phase1", "sub")), "5f-2": SimpleNamespace(name=Raises()),
        Raises(): SimpleNamespace(name=("x",)), "5f-3": None})}
    tick(server, 3)
    before = counts()
    tick(server, 20)
    print("same" if counts() == before else f"{before} {counts()}")
    server.workers = [1, 2]
    tick(server, 1)
    server.workers = Raises()
    tick(server, 1)
    del server.workers
    tick(server, 1)


asyncio.run(main())
