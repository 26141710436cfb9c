"""Many short tasks, so that a small log is full long before the last of them.

    full_log.py FILE TASKS END     END: "exit", or "kill": SIGKILL after the last task

FILE has 10,000 bytes. Task i reads 1,000 + i % 1,000 of them: every third through a thread that it
starts, the others in its own; so the sums of a report are known. Tasks of the second half have
another prefix, which the library first sees when the log is full. Every tenth task fails.
"""

import os
import signal
import sys
import threading

from run_task import Failed, run


def read(path, count):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.pread(fd, count, 0)
    finally:
        os.close(fd)


def body(path, i):
    count = 1000 + i % 1000
    if i % 3 == 0:
        helper = threading.Thread(target=read, args=(path, count))
        helper.start()
        helper.join()
    else:
        read(path, count)
    if i % 10 == 0:
        raise ValueError("meant so")


def main():
    path, tasks, end = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    for i in range(tasks):
        key = f"early-{i}" if i < tasks // 2 else f"late-{i}"
        try:
            run(key, lambda: body(path, i))
        except Failed:
            pass
    if end == "kill":
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
