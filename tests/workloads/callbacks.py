"""A job that one task submits, and a callback that another adds: callbacks.py DIRECTORY

Prints nothing; DIRECTORY/job has 1000 bytes and is read by the first task's job, DIRECTORY/callback
has 20000 and is read, on the same thread, for the other task."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from run_task import run

directory = sys.argv[1]


def read(name, bytes):
    path = f"{directory}/{name}"
    with open(path, "wb") as file:
        file.write(b"x" * bytes)
    with open(path, "rb", buffering=0) as file:
        assert len(file.read(bytes)) == bytes


def main():
    submitted, called = threading.Event(), threading.Event()
    futures, added = [], []

    def callback(_future):
        read("callback", 20000)
        called.set()

    def job():
        while not added:  # a job that the other task wakes would be unattributed
            time.sleep(0.01)
        read("job", 1000)

    def first():
        pool = ThreadPoolExecutor(1)
        futures.append(pool.submit(job))
        submitted.set()
        called.wait()

    def second():
        submitted.wait()
        futures[0].add_done_callback(callback)
        added.append(True)
        called.wait()

    threads = [threading.Thread(target=run, args=each)
               for each in (("first", first), ("second", second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
