"""One worker all the time, and another one for a while in the middle of the run.

    short_worker.py OUT.JSON SECONDS

Written: {"lived_s": how long the scheduler had the other one}.
"""

import json
import sys
import time
from multiprocessing.util import Finalize

from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin


class Watch(SchedulerPlugin):
    name = "watch"

    def __init__(self):
        self.came, self.went = {}, {}

    def add_worker(self, scheduler, worker):
        self.came[worker] = time.time()

    def remove_worker(self, scheduler, worker, **more):
        self.went[worker] = time.time()


def work(i):
    time.sleep(0.1)


def outlive_worker():
    """The process ends a second after its worker has left."""
    Finalize(None, time.sleep, args=(1,), exitpriority=0)


def wait_for(table):
    while not table:
        time.sleep(0.002)


def run(client, cluster, watch, seconds):
    futures = client.map(work, range(60), pure=False)
    time.sleep(1)
    cluster.scale(2)
    wait_for(watch.came)
    client.run(outlive_worker, workers=list(watch.came))
    time.sleep(seconds)
    client.retire_workers(list(watch.came))
    wait_for(watch.went)
    client.gather(futures)


def main():
    out, seconds = sys.argv[1], float(sys.argv[2])
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            watch = Watch()
            cluster.scheduler.add_plugin(watch)
            run(client, cluster, watch, seconds)
    (address, came), = watch.came.items()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"lived_s": watch.went[address] - came}, file)


if __name__ == "__main__":
    main()
