"""multiprocessing in a task, by every start method, children that run tasks of their own."""

import concurrent.futures
import multiprocessing
import os
import sys

from run_task import run


def read(path, count):
    fd = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(fd, count))
    finally:
        os.close(fd)


def work(arguments):
    path, count = arguments
    return run(f"child {count}", lambda: read(path, count))


def parent(method, path, first):
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        sizes = pool.map(work, [(path, first + at) for at in range(4)])
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        sizes.append(pool.submit(work, (path, first + 9)).result())
    process = context.Process(target=os._exit, args=(3,))
    process.start()
    process.join()
    return sizes, process.exitcode, read(path, first)


if __name__ == "__main__":
    for number, method in enumerate(("fork", "spawn", "forkserver")):
        print(method, run(method, lambda: parent(method, sys.argv[1], 100 * (number + 1))))
