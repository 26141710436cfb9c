"""A process that makes and closes many servers of Dask, as a notebook does: many_servers.py COUNT SECONDS

COUNT workers run a task each, named after the worker. In the middle there is nothing for SECONDS."""

import sys
import time

import run_task

count, seconds = int(sys.argv[1]), float(sys.argv[2])
for i in range(count):
    if i == count // 2:
        time.sleep(seconds)
    run_task.stub._address = f"stub://worker-{i}"
    run_task.run(f"task-{i}", lambda: None)
