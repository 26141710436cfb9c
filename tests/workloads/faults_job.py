"""Ends workers in every way, and notes which tasks the client had seen finished by then.

    faults_job.py ADDRESS OUT.JSON DATA kill|terminate|random|restart|memory|none

Written: {"finished": [[key, pid, bytes]], "unfinished": [[key, pid, bytes]], "result": number}.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import fault_tasks as tasks
from distributed import Client, as_completed

KILLS = 20


class Job:
    def __init__(self, address, out, data):
        self.client = Client(address)
        self.data, self.marker = data, str(Path(out).with_suffix(".marker"))
        self.finished, self.unfinished = [], []
        self.result = 0

    def map(self, name, sizes):
        """quick() with each size, in one graph: a request for each task would be most of the work."""
        keys = [f"{name}-{i}" for i in range(len(sizes))]
        return self.client.map(tasks.quick, [self.data] * len(sizes), sizes, key=keys, pure=False)

    def take(self, futures):
        for future, (pid, size) in as_completed(futures, with_results=True):
            self.finished.append([future.key, pid, size])
            self.result += size

    def quick(self, name, count=20):
        futures = self.map(name, range(1_000, 1_000 + count))
        for future, (pid, size) in zip(futures, self.client.gather(futures)):
            self.finished.append([future.key, pid, size])
            self.result += size

    def start_stuck(self, key, size, **kwargs):
        future = self.client.submit(tasks.stuck, self.data, size, self.marker, key=key, pure=False, **kwargs)
        while not os.path.exists(self.marker):
            time.sleep(0.02)
        pid = int(Path(self.marker).read_text())
        self.unfinished.append([key, pid, size])
        return future, pid

    def recover(self, future, old):
        """The task is given to the worker's successor, and ends there."""
        self.take([future])
        assert self.finished[-1][1] != old, "the same process as before"

    # --- the faults

    def none(self):
        self.quick("quick", 1500)

    def kill(self):
        self.quick("before")
        future, pid = self.start_stuck("stuck-1", 54_321)
        os.kill(pid, signal.SIGKILL)
        self.recover(future, pid)
        self.quick("after")

    def terminate(self):
        """SIGTERM to the worker itself, as a batch system may send it."""
        self.quick("before")
        future, pid = self.start_stuck("stuck-1", 54_322)
        os.kill(pid, signal.SIGTERM)
        self.recover(future, pid)
        self.quick("after")

    def restart(self):
        """client.restart() forgets all work and starts the workers anew."""
        self.quick("before")
        self.start_stuck("stuck-1", 54_323)
        self.client.restart()
        self.client.wait_for_workers(1)
        self.quick("after")

    def memory(self):
        """The nanny ends a worker that is over its limit."""
        self.quick("before")
        future, pid = self.start_stuck("stuck-1", 54_324, megabytes=500)
        while True:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.05)
        self.recover(future, pid)
        self.quick("after")

    def random(self):
        """Kill a worker at a random moment of a stream of small tasks, twenty times."""
        dice = random.Random(20)
        for i in range(KILLS):
            futures = self.map(f"stream-{i}", range(500, 700))
            until = dice.randrange(5, 150)
            for seen, (future, (pid, size)) in enumerate(as_completed(futures, with_results=True)):
                self.finished.append([future.key, pid, size])
                if seen == until:
                    time.sleep(dice.uniform(0, 0.003))
                    os.kill(pid, signal.SIGKILL)
            self.result += len(futures)


def main() -> None:
    address, out, data, fault = sys.argv[1:]
    job = Job(address, out, data)
    job.client.wait_for_workers(1)
    getattr(job, fault)()
    Path(out).write_text(json.dumps({
        "finished": job.finished, "unfinished": job.unfinished, "result": job.result,
    }))
    job.client.close()


if __name__ == "__main__":
    main()
