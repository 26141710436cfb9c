"""What battery_dask_job.py runs in workers, which import this module."""

import time

import battery_child
import numpy as np
from battery_tasks import executor_shared, pread, to_thread


class Heavy:
    """Reads a file when it is deserialised: on Dask's thread, for no task."""

    read_here = 0  # bytes, in this process

    def __init__(self, data, size, ballast):
        self.data, self.size, self.ballast = data, size, ballast

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__ = state
        Heavy.read_here += battery_child.read(self.data[0], self.size)


def read_all(data, size):
    """Three ways at once."""
    third = size // 3
    time.sleep(0.005)  # Dask works meanwhile
    return (pread(data, third) + to_thread(data, third)
            + executor_shared(data, size - 2 * third))


def make(data, size, ballast):
    assert read_all(data, size) == size
    return np.random.default_rng(size).bytes(ballast)


def make_heavy(data, size, ballast):
    assert read_all(data, size) == size
    return Heavy(data, 50_021, bytes(ballast))


def use(data, size, *inputs):
    assert all(inputs)
    return read_all(data, size)


def slow(data, size, first):
    assert first
    time.sleep(0.05)
    return read_all(data, size)


def read_here(dask_worker):
    return Heavy.read_here
