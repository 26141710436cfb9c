"""Eight tasks start their first threads at the same time. Each thread reads what no other one reads.

    first_threads.py FILE       which is made
"""

import os
import sys
import threading
import time

from run_task import run

TASKS, BYTES = 8, 1000


def read(path, size):
    time.sleep(0.5)  # all tasks run, so that none is the only one; and no lock is shared
    with open(path, "rb", buffering=0) as file:
        assert len(os.pread(file.fileno(), size, 0)) == size


def start(path, size, barrier):
    barrier.wait(60)
    thread = threading.Thread(target=read, args=(path, size))
    thread.start()
    thread.join()


def main():
    path, = sys.argv[1:]
    with open(path, "wb") as file:
        file.write(bytes(BYTES + TASKS))
    barrier = threading.Barrier(TASKS)
    tasks = [threading.Thread(target=run, args=(f"task-{i}", lambda i=i: start(path, BYTES + i, barrier)))
             for i in range(TASKS)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()


if __name__ == "__main__":
    main()
