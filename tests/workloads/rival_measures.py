"""A decorator and a poll in plain Python: what one writes to see where time and bytes of an analysis go,
without a profiler. Sent to the workers by rival_demo.py."""

import functools
import threading
import time

import psutil
from distributed.diagnostics.plugin import WorkerPlugin
from processor import Dimuon

chunks = []  # of this worker, one row for each call of process()


def measured(function):
    """Adds a row to `chunks` for each call: wall and CPU time, bytes read, memory."""
    @functools.wraps(function)
    def wrapper(self, events):
        process = psutil.Process()
        before = process.io_counters().read_chars
        wall, cpu = time.perf_counter(), time.thread_time()
        result = function(self, events)
        chunks.append({"events": len(events), "wall": time.perf_counter() - wall, "cpu": time.thread_time() - cpu,
                       "read": process.io_counters().read_chars - before, "rss": process.memory_info().rss})
        return result

    return wrapper


def measured_chunks():
    return chunks


class MeasuredDimuon(Dimuon):
    process = measured(Dimuon.process)


class Poll(WorkerPlugin):
    """Ten times a second: CPU, memory, bytes, threads of the worker's process."""

    name = "poll"

    def setup(self, worker):
        self.rows, self.ends = [], threading.Event()
        threading.Thread(target=self.poll, daemon=True).start()

    def poll(self):
        process = psutil.Process()
        while not self.ends.wait(0.1):
            with process.oneshot():
                self.rows.append((time.time(), process.cpu_percent(), process.memory_info().rss,
                                  process.io_counters().read_chars, process.num_threads()))

    def teardown(self, worker):
        self.ends.set()
