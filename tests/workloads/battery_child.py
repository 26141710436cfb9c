"""What child processes of battery_tasks.py run: little to import, so that they start fast."""

import os
import sys


def read(path, size, at=0):
    """SIZE bytes with os.pread."""
    fd = os.open(path, os.O_RDONLY)
    try:
        done = 0
        while done < size:
            piece = len(os.pread(fd, min(65_536, size - done), at + done))
            if not piece:
                break
            done += piece
        return done
    finally:
        os.close(fd)


def read_and_tell(path, size, queue):
    queue.put(read(path, size))


def forget_pools():
    """A forked process ends by waking all pools that its parent had. Since CPython 3.14 that takes the
    lock of each pool (_ThreadWakeup), and a thread of the parent may have held it during the fork:
    then the process never ends, and neither does the pool that waits for it. Without cupping, too."""
    sys.modules["concurrent.futures.process"]._threads_wakeups.clear()
