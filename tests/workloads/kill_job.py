"""Children that run tasks until they are killed, for tests/soak/kill.py: forked, so that each begins at once.

    kill_job.py FILE SEED ROUNDS OUT

Each child writes the key of a task into a pipe after the task has ended. SIGKILL comes after a random number
of keys and a random wait. Written to OUT: {"rounds": [{"pid", "keys"}]}.
"""

import json
import os
import random
import signal
import sys
import time

from company_job import work
from run_task import run


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


def child_main(path, out):
    for i in range(1_000_000):
        key = f"work-{os.getpid()}-{i}"
        try:
            run(key, lambda i=i: work_and_fork(path, i))
        except Exception:
            pass
        os.write(out, key.encode() + b"\n")


def kill_one(path, dice):
    ends = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ends[0])
        child_main(path, ends[1])
    os.close(ends[1])
    wanted, text = dice.choice([0, 1, 2, 5, 20, 100, 300]), b""
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
    path, seed, rounds, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    dice = random.Random(seed)
    with open(out, "w") as file:
        json.dump({"rounds": [kill_one(path, dice) for _ in range(rounds)]}, file)


if __name__ == "__main__":
    main()
