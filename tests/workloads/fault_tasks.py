"""Tasks for workers that are about to be killed. Workers import this module."""

import os
import time
from pathlib import Path


def read(path, size):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.pread(fd, size, 0)
    finally:
        os.close(fd)


def quick(path, size):
    """What the client sees of it: who ran it, and how much that read."""
    return os.getpid(), len(read(path, size))


def stuck(path, size, marker, megabytes=0):
    """The first time: reads SIZE bytes, takes memory, and never comes back. Then: quick()."""
    if os.path.exists(marker):
        return quick(path, size)
    read(path, size)
    part = Path(marker + ".part")
    part.write_text(str(os.getpid()))
    part.rename(marker)
    held = bytearray(megabytes * 1_000_000)
    for at in range(0, len(held), 4096):
        held[at] = 1
    while True:  # busy, as a task is that Dask has to kill
        time.sleep(0.01)
