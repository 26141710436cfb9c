"""Children that run tasks until they are killed, for tests/soak/kill.py: forked, so that each begins at once.

    kill_job.py FILE SEED ROUNDS OUT plain|full|threads

full: the tasks are those of full_log.py, with keys so long that the log is full after some 200 of them ("early-N");
later tasks have the prefix "late". threads: as full, but the late tasks run in THREADS threads, which need more counter
blocks than a full log has room for. Each child writes the key of a task into a pipe after the task has ended. SIGKILL
comes after a random number of keys and a random wait. Written to OUT: {"rounds": [{"pid", "keys"}]}; the keys of full
logs are cut to PREFIX-NUMBER.
"""

import itertools
import json
import os
import random
import signal
import sys
import threading
import time

from company_job import work
from full_log import body
from run_task import run

FULL_AFTER = 200  # tasks
THREADS = 200


def work_and_fork(path, i):
    work(path)
    if i % 7 == 3:
        child = os.fork()
        if child == 0:
            descriptor = os.open(path, os.O_RDONLY)
            os.pread(descriptor, 1000, 0)
            os._exit(0)
        os.waitpid(child, 0)
    if i % 11 == 5:
        raise ValueError("this task fails")


def run_full(path, out, i, meet=None):
    name = f"{'early' if i < FULL_AFTER else 'late'}-{i}"
    try:
        run(f"{name}-{'k' * 4000}", lambda: (meet and meet.wait(), body(path, i)))
    except Exception:
        pass
    os.write(out, name.encode() + b"\n")


def full_main(path, out):
    for i in itertools.count():
        run_full(path, out, i)


def threads_main(path, out):
    numbers, meet = itertools.count(FULL_AFTER), threading.Barrier(THREADS)

    def loop():
        run_full(path, out, next(numbers), meet)  # all threads are in a task at the same time
        for i in numbers:
            run_full(path, out, i)

    for i in range(FULL_AFTER):
        run_full(path, out, i)
    threads = [threading.Thread(target=loop) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    threads[0].join()


def child_main(path, out):
    for i in range(1_000_000):
        key = f"work-{os.getpid()}-{i}"
        try:
            run(key, lambda i=i: work_and_fork(path, i))
        except Exception:
            pass
        os.write(out, key.encode() + b"\n")


def kill_one(path, dice, child, counts):
    ends = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ends[0])
        child(path, ends[1])
    os.close(ends[1])
    wanted, text = dice.choice(counts), b""
    while text.count(b"\n") < wanted:
        text += os.read(ends[0], 65536)
    time.sleep(dice.random() * dice.choice([0.0005, 0.005, 0.02]))
    os.kill(pid, signal.SIGKILL)
    while more := os.read(ends[0], 65536):
        text += more
    os.close(ends[0])
    os.waitpid(pid, 0)
    return {"pid": pid, "keys": text.decode().split("\n")[:-1]}


def main():
    path, seed, rounds, out, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    dice, of_full = random.Random(seed), [FULL_AFTER + count for count in (0, 1, 5, 20, 100, 300)]
    job = {"plain": (child_main, [0, 1, 2, 5, 20, 100, 300]), "full": (full_main, of_full),
           "threads": (threads_main, of_full)}[kind]
    with open(out, "w") as file:
        json.dump({"rounds": [kill_one(path, dice, *job) for _ in range(rounds)]}, file)


if __name__ == "__main__":
    main()
