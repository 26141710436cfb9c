"""Metrics of a Coffea run as Python tools take them, to compare with cupping's report of the same run.

A decorator around process() that notes wall time and CPU time of each chunk in its output, a poll of
the workers on the scheduler's event loop, a span whose figures Dask adds up, every worker's own
digests at the end, and Coffea's report with the times of the call. Nothing here knows of cupping.
"""

import asyncio
import functools
import os
import time

NOTES = "collected_chunks"


def timed(process):
    """Decorator of process(): its output holds one note for each chunk, and Coffea adds them up."""

    @functools.wraps(process)
    def wrapper(self, events):
        about = events.metadata
        cpu, wall = time.thread_time(), time.perf_counter()
        out = process(self, events)
        wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
        out[NOTES] = [{
            "dataset": about["dataset"],
            "file": about["filename"],
            "entry_start": int(about["entrystart"]),
            "entry_stop": int(about["entrystop"]),
            "events": len(events),
            "wall_s": wall,
            "thread_cpu_s": cpu,
            "pid": os.getpid(),
        }]
        return out

    return wrapper


# ---- what runs on the scheduler ----------------------------------------------------------------


def _look(dask_scheduler):
    return {
        "time": time.time(),
        "workers": {
            state.address: {
                "threads": state.nthreads,
                "memory": state.metrics.get("memory", 0),
                "memory_limit": state.memory_limit,
                "cpu": state.metrics.get("cpu"),
                "processing": len(state.processing),
                "executing": len(state.executing),
                "spilled": (state.metrics.get("spilled_bytes") or {}).get("disk", 0),
                "managed": state.nbytes,
                "heartbeat": state.metrics.get("time"),
            }
            for state in dask_scheduler.workers.values()
        },
    }


async def _start(dask_scheduler, interval):
    async def poll():
        while True:
            dask_scheduler.collected.append(_look(dask_scheduler))
            await asyncio.sleep(interval)

    dask_scheduler.collected = []
    dask_scheduler.collecting = asyncio.ensure_future(poll())


async def _stop(dask_scheduler):
    dask_scheduler.collecting.cancel()
    dask_scheduler.collected.append(_look(dask_scheduler))
    return dask_scheduler.collected


def _span(dask_scheduler, name):
    """Figures of all spans of that name: {"context/prefix/activity/unit": value}."""
    sums = {}
    for span in dask_scheduler.extensions["spans"].spans.values():
        if span.name == (name,):
            for key, value in span.cumulative_worker_metrics.items():
                key = "/".join(map(str, key))
                sums[key] = sums.get(key, 0) + value
    return sums


def _digests(dask_worker):
    return {
        "/".join(map(str, key)): value
        for key, value in dask_worker.digests_total.items()
        if isinstance(key, tuple)
    }


# ---- the collector -----------------------------------------------------------------------------


class Collector:
    """Around one Runner call: `with Collector(client, "first") as collector: ...`. Without a client
    there are only chunks and the report."""

    def __init__(self, client, name, interval=0.2):
        self.client, self.name, self.interval = client, name, interval
        self.reported = {"name": name, "interval": interval}

    def __enter__(self):
        if self.client:
            from distributed import span

            self.client.run_on_scheduler(_start, interval=self.interval)
            self.span = span(self.name)
            self.span.__enter__()
        return self

    def call(self, runner, fileset, processor):
        """Returns the output, without the notes; None if the call raises."""
        self.reported["t_start"] = time.time()
        try:
            output, report = runner(fileset, processor_instance=processor)
        except Exception as error:
            self.reported.update(t_stop=time.time(), error=str(error), report=None, chunks=[])
            return None
        self.reported.update(t_stop=time.time(), report=report, chunks=output.pop(NOTES, []))
        return output

    def __exit__(self, *_):
        if self.client:
            self.span.__exit__(*_)
            self.reported["polls"] = self.client.run_on_scheduler(_stop)
            time.sleep(1.5)  # the workers tell the scheduler of their last tasks with a heartbeat
            self.reported["span"] = self.client.run_on_scheduler(_span, name=self.name)
            self.reported["digests"] = self.client.run(_digests)
        return False
