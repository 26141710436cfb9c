"""Run tasks while a worker is added and one is killed, and poll the scheduler meanwhile.

    workers_job.py ADDRESS OUT.JSON

Written: {"tracking_data": what the poll saw, "threads": {address: threads}}, in the shapes that
Python tools save. The worker that is added has three threads and no memory limit, and is not under
cupping.
"""

import asyncio
import datetime
import json
import os
import signal
import subprocess
import sys
import time

from distributed import Client, wait

INTERVAL = 0.1


def start_polling(dask_scheduler):
    seen = dask_scheduler.seen = {"worker_counts": {}}
    dask_scheduler.polling = True

    async def poll():
        while dask_scheduler.polling:
            now = datetime.datetime.now().isoformat()
            seen["worker_counts"][now] = len(dask_scheduler.workers)
            for address, worker in dask_scheduler.workers.items():
                for name, value in (
                    ("worker_memory", worker.metrics.get("memory")),
                    ("worker_memory_limit", worker.memory_limit),
                    ("worker_cores", worker.nthreads),
                    ("worker_active_tasks", len(worker.processing)),
                    ("worker_executing", len(worker.executing)),
                    ("worker_occupancy", worker.occupancy),
                    ("worker_cpu", worker.metrics.get("cpu")),
                ):
                    seen.setdefault(name, {}).setdefault(address, []).append((now, value))
            await asyncio.sleep(INTERVAL)

    dask_scheduler.poll = asyncio.create_task(poll())


def stop_polling(dask_scheduler):
    dask_scheduler.polling = False
    return dask_scheduler.seen


def nap(seconds):
    time.sleep(seconds)


def main() -> None:
    address, out = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(2)
    client.run_on_scheduler(start_polling)
    time.sleep(1)
    first = sorted(client.run(os.getpid).items())[0]
    futures = client.map(nap, [0.25] * 80, pure=False)
    time.sleep(2)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "3"]
    added = subprocess.Popen([*command, "--no-nanny", "--no-dashboard", "--memory-limit", "0"])
    client.wait_for_workers(3)
    time.sleep(2)
    os.kill(first[1], signal.SIGKILL)
    wait(futures)
    del futures  # or what a worker takes with it would be computed again
    workers = client.scheduler_info(n_workers=-1)["workers"]
    time.sleep(1)
    seen = client.run_on_scheduler(stop_polling)
    threads = {name: info["nthreads"] for name, info in workers.items()}
    with open(out, "w") as file:
        json.dump({"tracking_data": seen, "threads": threads}, file)
    added.send_signal(signal.SIGTERM)
    added.wait()


if __name__ == "__main__":
    main()
