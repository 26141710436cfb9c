"""Forks of a process whose other threads are reading their native frames, each of them for the first time; the
children run tasks of their own.

    native_forks.py        (with CUPPING_STACKS=stress); says how the children ended
"""

import os
import threading
import warnings

import run_task

CHILDREN, THREADS = 100, 3


def work():
    return len([str(i) * (i % 9) for i in range(50)])


def keep_starting(over):
    while not over.is_set():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def fork(number):
    child = os.fork()
    if child == 0:
        os._exit(run_task.run(f"child-{number}", work) - 50)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def task():
    warnings.simplefilter("ignore")  # a process of several threads is forked
    over = threading.Event()
    threads = [threading.Thread(target=keep_starting, args=(over,)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    ends = [fork(number) for number in range(CHILDREN)]
    over.set()
    for thread in threads:
        thread.join()
    return len(ends), set(ends)


print(run_task.run("forks", task))
