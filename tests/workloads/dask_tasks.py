"""Tasks whose reads, CPU time and allocations are known beforehand. Workers import this module;
dask_job.py submits its functions. Runs on every Python and Dask that is supported."""

import asyncio
import gc
import io
import os
import threading
import time
from pathlib import Path

import numpy as np
from distributed.metrics import context_meter, meter

MB = 1_000_000


# --- reads on the task's own thread -----------------------------------------------------------------

def read_own(path, size):
    fd = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(fd, size // 2)) + len(os.pread(fd, size - size // 2, 7))
    finally:
        os.close(fd)


def read_file(path):
    return len(Path(path).read_bytes())


# --- one pool and one loop for all tasks, as fsspec has it ------------------------------------------

_lock = threading.Lock()
_loop = None


def shared_loop():
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, daemon=True).start()
        return _loop


def _read_into(path, offset, buffer):
    with io.FileIO(path) as file:
        file.seek(offset)
        return file.readinto(buffer)


def _preadv(path, offset, buffer):
    fd = os.open(path, os.O_RDONLY)
    try:
        half = len(buffer) // 2
        return os.preadv(fd, [buffer[:half], buffer[half:]], offset)
    finally:
        os.close(fd)


async def _read_pieces(path, size, buffer):
    """SIZE bytes in pieces, several at a time, each by the other of two calls."""
    steps = [(at, min(4096 + size % 1000, size - at)) for at in range(0, size, 4096 + size % 1000)]
    return sum(await asyncio.gather(*[
        asyncio.to_thread(_preadv if i % 2 else _read_into, path, at, memoryview(buffer)[:length])
        for i, (at, length) in enumerate(steps)
    ]))


_met = {}


def meet(name, parties):
    """All parties run at the same time, or the job does not end."""
    with _lock:
        barrier = _met.setdefault(name, threading.Barrier(parties))
    barrier.wait(60)


def read_pool(path, size, parties):
    buffer = bytearray(8192)  # allocated before anyone reads into it
    meet("pool", parties)
    done = asyncio.run_coroutine_threadsafe(_read_pieces(path, size, buffer), shared_loop())
    return done.result(60)


# --- calls of the thread's CPU clock that are no task -----------------------------------------------

class Cycle:
    def __init__(self):
        self.me = self


def collect(path, size, _i):
    for _ in range(5):
        [Cycle() for _ in range(1000)]
        gc.collect()
    return read_own(path, size)


def clocks(path, size, _i):
    """Dask's own meters, used by the user, and the clock itself."""
    time.thread_time()
    with meter(func=time.thread_time):
        pass
    with context_meter.meter("mine", func=time.thread_time):
        with context_meter.meter("inner", func=time.thread_time):
            done = read_own(path, size)
    time.thread_time()
    return done


def spin(seconds):
    end = time.thread_time() + seconds
    count = 0
    while time.thread_time() < end:
        count += 1
    return seconds


# --- results, failures, memory ----------------------------------------------------------------------

def raises(path, size):
    read_own(path, size)
    raise ValueError("as planned: é")


def fails_first(path, size, marker):
    """Reads SIZE bytes and raises; the second time reads 1000 more and returns."""
    if os.path.exists(marker):
        return read_own(path, size + 1000)
    Path(marker).touch()
    read_own(path, size)
    raise OSError("first attempt, as planned")


def result_of(size):
    return bytes(size)


def allocate(size):
    array = np.ones(size, dtype="u1")
    return int(array[-1])


def allocate_twice(size):
    """Two arrays, one after the other: twice allocated, once at a time."""
    for _ in range(2):
        array = np.ones(size, dtype="u1")
        del array


def allocate_in_pool(size):
    asyncio.run_coroutine_threadsafe(asyncio.to_thread(allocate, size), shared_loop()).result(60)


def submit_more(path, size):
    """A task that leaves the pool and waits for others."""
    from distributed import worker_client

    read_own(path, size)
    with worker_client() as client:
        inner = [client.submit(read_own, path, size + i, key=f"inner-{size + i}", pure=False)
                 for i in range(1, 4)]
        client.gather(inner)
    return read_own(path, 2 * size)
