"""Roads by which a task gets its bytes. Workers import this module; battery_job.py submits its
functions. Each road is a function that knows how many bytes its calls delivered, and returns that:
a number (of its column, read_bytes if it does not say) or columns with their values.

A road takes (data, size): some files of 4 MB, shared by all, and a number that no other task of
the run has; or what its `takes` says (see battery_job.py, prepare()).
"""

import asyncio
import bz2
import collections
import concurrent.futures
import faulthandler
import gzip
import io
import lzma
import mmap
import multiprocessing
import multiprocessing.pool
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import weakref
from pathlib import Path
from typing import Callable, NamedTuple

import battery_child
import numpy as np

MB = 1_000_000
PAGE = 4096
AROUND = 2 << 20  # what the kernel makes present around a page that is touched, at most
PATIENCE = 120


class Road(NamedTuple):
    function: Callable
    group: str
    takes: str
    column: str
    may_be_none: bool  # a road that may find no task; it must never find another's
    rare: bool  # costs seconds: not in every round
    needs: tuple  # modules


ROADS = {}


def road(group, takes="size", column="read_bytes", may_be_none=False, rare=False, needs=()):
    def add(function):
        ROADS[function.__name__] = Road(function, group, takes, column, may_be_none, rare, needs)
        return function

    return add


# --- all tasks of a group run at the same time -----------------------------------------------------

_lock = threading.Lock()
_barriers = {}
_events = {}


def meet(name, parties):
    with _lock:
        barrier = _barriers.setdefault(name, threading.Barrier(parties))
    barrier.wait(PATIENCE)


async def meet_async(name, parties):
    """For tasks on the event loop, which may not block it."""
    count, event = _events.setdefault(name, ([0], asyncio.Event()))
    count[0] += 1
    if count[0] == parties:
        event.set()
    await asyncio.wait_for(event.wait(), PATIENCE)


def run(name, group, parties, *arguments):
    meet(group, parties)
    return ROADS[name].function(*arguments)


async def run_async(name, group, parties, *arguments):
    await meet_async(group, parties)
    return await ROADS[name].function(*arguments)


# --- pieces ----------------------------------------------------------------------------------------

def pick(data, size):
    return data[size % len(data)]


def pieces(size, count=8):
    """COUNT pairs (offset, length), all of different length, SIZE together."""
    lengths = [size // (2 * count) + 7 * i for i in range(count - 1)]
    lengths.append(size - sum(lengths))
    return [(sum(lengths[:i]), length) for i, length in enumerate(lengths)]


def opened(path):
    return os.open(path, os.O_RDONLY)


def read_into(path, offset, buffer):
    with io.FileIO(path) as file:
        file.seek(offset)
        return file.readinto(buffer)


def read_vectors(path, offset, buffer):
    fd = opened(path)
    try:
        half = len(buffer) // 2
        return os.preadv(fd, [buffer[:half], buffer[half:]], offset)
    finally:
        os.close(fd)


def read_at(path, offset, length):
    return battery_child.read(path, length, offset)


def jobs(data, size, count=8):
    """[(path, offset, length)] over all data files."""
    return [(data[i % len(data)], offset, length)
            for i, (offset, length) in enumerate(pieces(size, count))]


# --- the task's own thread: raw calls --------------------------------------------------------------

@road("own")
def read(data, size):
    fd, done = opened(pick(data, size)), 0
    while done < size:
        done += len(os.read(fd, min(size - done, 32_768)))
    os.close(fd)
    return done


@road("own")
def pread(data, size):
    return sum(read_at(*job) for job in jobs(data, size))


@road("own")
def preadv(data, size):
    buffer = memoryview(bytearray(size))
    return sum(read_vectors(pick(data, size), at, buffer[:length]) for at, length in pieces(size))


@road("own")
def readv(data, size):
    fd = opened(pick(data, size))
    third = size // 3
    done = os.readv(fd, [bytearray(third), bytearray(third), bytearray(size - 2 * third)])
    os.close(fd)
    return done


@road("own")
def readinto(data, size):
    buffer = memoryview(bytearray(size))
    return sum(read_into(pick(data, size), at, buffer[:length]) for at, length in pieces(size))


@road("own")
def fromfile(data, size):
    return np.fromfile(pick(data, size), dtype="u1", count=size).nbytes


_shared_fds = {}


def shared_fd(path):
    """Opened by whichever task comes first, used by all, never closed."""
    with _lock:
        if path not in _shared_fds:
            _shared_fds[path] = opened(path)
        return _shared_fds[path]


@road("own")
def shared_descriptor(data, size):
    fd = shared_fd(pick(data, size))
    return sum(len(os.pread(fd, length, at)) for at, length in pieces(size))


# --- the task's own thread: Python's files and libraries -------------------------------------------

@road("files", takes="plain")
def buffered(path, size):
    with open(path, "rb") as file:
        head = file.read(100)
        return len(head) + len(file.read())


@road("files", takes="plain")
def buffered_lines(path, size):
    with open(path, "rb") as file:
        return sum(len(line) for line in file)


@road("files", takes="plain")
def path_read_bytes(path, size):
    return len(Path(path).read_bytes())


def _unpack(opener, path, size):
    with opener(path) as file:
        while file.read(10_000):
            pass
    return size  # all of the file was needed for that


@road("files", takes="gzip")
def gzip_file(path, size):
    return _unpack(gzip.open, path, size)


@road("files", takes="bz2")
def bz2_file(path, size):
    return _unpack(bz2.open, path, size)


@road("files", takes="lzma")
def lzma_file(path, size):
    return _unpack(lzma.open, path, size)


@road("files", takes="h5", needs=("h5py",))
def h5py_dataset(path, size):
    import h5py

    with h5py.File(path, "r") as file:
        file["values"][:]
    return size


@road("files")
def fsspec_local(data, size):
    import fsspec

    path = pick(data, size)
    with fsspec.open(path, "rb") as file:
        file.seek(os.path.getsize(path) - size)
        return len(file.read())


# --- inside the kernel -----------------------------------------------------------------------------

def beside(path):
    """A file to write to, gone when it is closed."""
    return tempfile.TemporaryFile(dir=os.path.dirname(path), buffering=0)


@road("kernel")
def sendfile(data, size):
    path = pick(data, size)
    fd, done = opened(path), 0
    with beside(path) as out:
        while done < size:
            done += os.sendfile(out.fileno(), fd, done, size - done)
    os.close(fd)
    return done


@road("kernel")
def copy_file_range(data, size):
    path = pick(data, size)
    fd, done = opened(path), 0
    with beside(path) as out:
        while done < size:
            done += os.copy_file_range(fd, out.fileno(), size - done)
    os.close(fd)
    return done


@road("kernel", takes="plain")
def copyfile(path, size):
    copy = f"{path}.copy-{threading.get_ident()}"
    shutil.copyfile(path, copy)
    done = os.path.getsize(copy)
    os.unlink(copy)
    return done


if hasattr(os, "splice"):

    @road("kernel")
    def splice(data, size):
        fd, done = opened(pick(data, size)), 0
        out, into = os.pipe()
        while done < size:
            moved = os.splice(fd, into, min(size - done, 32_768))
            done += moved
            while moved:
                moved -= len(os.read(out, moved))
        for one in (fd, out, into):
            os.close(one)
        return done


# --- mapped files: bounds --------------------------------------------------------------------------

def pages(path, start, stop, places=1):
    """Bounds for a range of a mapped file that was touched once, or for PLACES of a page."""
    size = -(-os.path.getsize(path) // PAGE) * PAGE
    at_least = (-(-stop // PAGE) - start // PAGE) * PAGE
    at_most = (-(-stop // AROUND) - start // AROUND + 2) * AROUND
    return {"at_least": {"mapped_bytes": places * at_least},
            "at_most": {"mapped_bytes": min(places * at_most, size)}}


@road("mapped", takes="large", column=None)
def mmap_file(path, size):
    start, stop = 9 * MB, 9 * MB + 5 * size
    fd = opened(path)
    with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as mapped:
        assert len(mapped[start:stop]) == 5 * size
    os.close(fd)
    return pages(path, start, stop)


@road("mapped", takes="large", column=None)
def memmap(path, size):
    array = np.memmap(path, dtype="u1", mode="r")
    int(array[:3 * size].sum())
    return pages(path, 0, 3 * size)


@road("mapped", takes="large", column=None)
def memmap_tenth(path, size):
    """One place, a tenth of the file and a bit that differs: not the whole file."""
    array = np.memmap(path, dtype="u1", mode="r")
    start = len(array) // 2
    stop = start + len(array) // 10 + size
    int(array[start:stop].sum())
    return pages(path, start, stop)


@road("mapped", takes="large", column=None)
def memmap_scattered(path, size):
    """One byte at each of a few places."""
    array = np.memmap(path, dtype="u1", mode="r")
    count = 2 + size % 4
    sum(int(array[i * 4 * AROUND]) for i in range(count))
    return pages(path, 0, 1, places=count)


@road("mapped", takes="root", column=None, needs=("uproot.source.fsspec",))
def uproot_memmap(path, _size):
    import uproot

    with uproot.open(path, handler=uproot.source.file.MemmapSource) as file:
        tree = file["tree"]
        assert len(tree.arrays(library="np")["x"]) == tree.num_entries
        packed = sum(branch.compressed_bytes for branch in tree.branches)
    whole = os.path.getsize(path)
    return {**pages(path, 0, whole), "at_least": {"mapped_bytes": packed // PAGE * PAGE}}


@road("mapped", takes="parquet", column=None, needs=("pyarrow",))
def pyarrow_mapped(path, _size):
    """Touched by threads of pyarrow's."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path, memory_map=True) as file:
        assert file.read().num_rows == file.metadata.num_rows
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    packed = sum(group.column(i).total_compressed_size
                 for group in groups for i in range(group.num_columns))
    whole = os.path.getsize(path)
    return {**pages(path, 0, whole), "at_least": {"mapped_bytes": packed // PAGE * PAGE}}


# --- helper threads: asyncio and fsspec ------------------------------------------------------------

_loop = None


def shared_loop():
    """One loop for all tasks, as fsspec has it."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, daemon=True).start()
        return _loop


def on_shared_loop(coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, shared_loop()).result(PATIENCE)


async def _read_pieces(data, size, buffer):
    """By two calls, several at a time."""
    return sum(await asyncio.gather(*[
        asyncio.to_thread(read_vectors if i % 2 else read_into, path, at, buffer[:length])
        for i, (path, at, length) in enumerate(jobs(data, size))
    ]))


@road("asyncio")
def to_thread(data, size):
    return on_shared_loop(_read_pieces(data, size, memoryview(bytearray(size))))


@road("asyncio")
def to_thread_own_loop(data, size):
    return asyncio.run(_read_pieces(data, size, memoryview(bytearray(size))))


@road("asyncio", needs=("fsspec",))
def fsspec_async(data, size):
    import fsspec
    from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

    files = AsyncFileSystemWrapper(fsspec.filesystem("file"), asynchronous=False)
    lengths = [length for _, length in pieces(size, len(data))]
    starts = [os.path.getsize(path) - length for path, length in zip(data, lengths)]
    return sum(map(len, files.cat_ranges(list(data), starts, [None] * len(data))))


@road("asyncio", takes="root", needs=("uproot.source.fsspec",))
def uproot_fsspec(path, size):
    import uproot

    with uproot.open(path) as file:
        file["tree"].arrays(library="np")
    return size


# --- helper threads: started by the task -----------------------------------------------------------

def in_thread(function, *arguments):
    """What FUNCTION returns, on a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)))
    thread.start()
    thread.join()
    return results[0]


@road("threads")
def thread(data, size):
    return in_thread(pread, data, size)


@road("threads")
def thread_in_thread(data, size):
    half = size // 2
    return in_thread(lambda: pread(data, half) + in_thread(preadv, data, size - half))


class Dropped:
    pass


def drop():
    """Runs a finalizer that waits for the loop of all tasks, as those of fsspec's HTTP do. They run on
    whichever thread happens to collect garbage."""
    weakref.finalize(Dropped(), lambda: on_shared_loop(asyncio.sleep(0.001)))


def read_and_drop(path, at, length):
    half = length // 2
    done = read_at(path, at, half)
    drop()
    return done + read_at(path, at + half, length - half)


@road("threads")
def thread_finalizes(data, size):
    return in_thread(lambda: sum(read_and_drop(*job) for job in jobs(data, size, 3)))


@road("threads")
def threads(data, size):
    done = []
    started = [threading.Thread(target=lambda job=job: done.append(read_at(*job)))
               for job in jobs(data, size, 4)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    return sum(done)


# --- helper threads: concurrent.futures ------------------------------------------------------------

_pools = {}


def shared_pool(name, make):
    """One for all tasks of the worker; its threads are started by whoever comes first."""
    with _lock:
        if name not in _pools:
            _pools[name] = make()
        return _pools[name]


def shared_executor(name="executor"):
    return shared_pool(name, lambda: concurrent.futures.ThreadPoolExecutor(3))


@road("executor")
def executor_shared(data, size):
    """More jobs than workers, and other tasks' jobs between them."""
    futures = [shared_executor().submit(read_at, *job) for job in jobs(data, size)]
    return sum(future.result(PATIENCE) for future in futures)


@road("executor")
def executor_map(data, size):
    return sum(shared_executor().map(lambda job: read_at(*job), jobs(data, size)))


@road("executor")
def executor_as_completed(data, size):
    futures = [shared_executor().submit(read_at, *job) for job in jobs(data, size)]
    return sum(future.result() for future in concurrent.futures.as_completed(futures, PATIENCE))


_passing = {"users": 0, "pool": None}


@road("executor")
def executor_passing(data, size):
    """A pool that the first of several tasks starts and the last one ends."""
    with _lock:
        _passing["users"] += 1
        if _passing["users"] == 1:
            _passing["pool"] = concurrent.futures.ThreadPoolExecutor(3)
        pool = _passing["pool"]
    futures = [pool.submit(read_at, *job) for job in jobs(data, size)]
    done = sum(future.result(PATIENCE) for future in futures)
    with _lock:
        _passing["users"] -= 1
        last = _passing["users"] == 0
    if last:
        pool.shutdown()
    return done


@road("executor")
def executor_private(data, size):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda job: read_at(*job), jobs(data, size)))


@road("executor")
def executor_shared_descriptor(data, size):
    """A descriptor that another task opened, on threads that another task started."""
    fd = shared_fd(pick(data, size))
    futures = [shared_executor().submit(os.pread, fd, length, at) for at, length in pieces(size)]
    return sum(len(future.result(PATIENCE)) for future in futures)


@road("executor")
def executor_callback(data, size):
    """Half of the bytes are read by what the pool calls when a job is done."""
    done, ended = [], threading.Semaphore(0)

    def callback(job):
        done.append(read_at(*job))
        ended.release()

    work = jobs(data, size)
    for first, second in zip(work[::2], work[1::2]):
        future = shared_executor().submit(read_at, *first)
        future.add_done_callback(lambda _, second=second: callback(second))
        done.append(future.result(PATIENCE))
    for _ in work[::2]:
        ended.acquire()
    return sum(done)


@road("executor")
def executor_nested(data, size):
    """Jobs that hand half of their work to a second pool."""
    def outer(job):
        path, at, length = job
        inner = shared_executor("second").submit(read_at, path, at, length // 2)
        return read_at(path, at, length - length // 2) + inner.result(PATIENCE)

    futures = [shared_executor().submit(outer, job) for job in jobs(data, size)]
    return sum(future.result(PATIENCE) for future in futures)


@road("executor")
def executor_finalizes(data, size):
    futures = [shared_executor().submit(read_and_drop, *job) for job in jobs(data, size)]
    return sum(future.result(PATIENCE) for future in futures)


async def _in_executor(pool, data, size):
    loop = asyncio.get_running_loop()
    return sum(await asyncio.gather(*[
        loop.run_in_executor(pool, read_at, *job) for job in jobs(data, size)
    ]))


@road("executor")
def executor_in_asyncio(data, size):
    """run_in_executor copies no context."""
    return asyncio.run(_in_executor(shared_executor(), data, size))


@road("executor")
def executor_of_loop(data, size):
    return asyncio.run(_in_executor(None, data, size))


@road("executor")
def executor_on_shared_loop(data, size):
    return on_shared_loop(_in_executor(shared_executor(), data, size))


# --- helper threads: pools made by hand ------------------------------------------------------------

class DequeQueue:
    """A queue on deque and Condition."""

    def __init__(self):
        self.items, self.changed = collections.deque(), threading.Condition()

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            return self.items.popleft()


class HandMadePool:
    """Threads that take (job, answers) from a queue; `answers` is a queue of the submitter."""

    def __init__(self, make_queue, threads=3):
        self.queue = make_queue()
        for _ in range(threads):
            threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            job, answers = self.queue.get()
            answers.put(read_at(*job))

    def read(self, data, size, make_answers):
        answers, work = make_answers(), jobs(data, size)
        for job in work:
            self.queue.put((job, answers))
        return sum(answers.get() for _ in work)


def _by_hand(make_queue, data, size):
    pool = shared_pool(make_queue, lambda: HandMadePool(make_queue))
    return pool.read(data, size, make_queue)


@road("by_hand", may_be_none=True)
def pool_on_queue(data, size):
    return _by_hand(queue.Queue, data, size)


@road("by_hand", may_be_none=True)
def pool_on_simple_queue(data, size):
    return _by_hand(queue.SimpleQueue, data, size)


@road("by_hand", may_be_none=True)
def pool_on_deque(data, size):
    return _by_hand(DequeQueue, data, size)


class JobPool(HandMadePool):
    """Its threads are an executor's, each with one job that never ends."""

    def __init__(self, make_queue, threads=3):
        self.queue = make_queue()
        self.executor = concurrent.futures.ThreadPoolExecutor(threads)
        for _ in range(threads):
            self.executor.submit(self.work)


@road("by_hand", may_be_none=True)
def pool_of_jobs(data, size):
    return shared_pool("jobs", lambda: JobPool(queue.Queue)).read(data, size, queue.Queue)


@road("by_hand", may_be_none=True)
def pool_of_jobs_on_simple_queue(data, size):
    return shared_pool("simple jobs", lambda: JobPool(queue.SimpleQueue)).read(
        data, size, queue.SimpleQueue)


class EventPool(HandMadePool):
    """Each job has an Event of the submitter, set when it is done."""

    def work(self):
        while True:
            job, done, event = self.queue.get()
            done.append(read_at(*job))
            event.set()

    def read_all(self, data, size):
        done, events = [], []
        for job in jobs(data, size):
            events.append(threading.Event())
            self.queue.put((job, done, events[-1]))
        for event in events:
            assert event.wait(PATIENCE)
        return sum(done)


@road("by_hand", may_be_none=True)
def pool_with_events(data, size):
    return shared_pool("events", lambda: EventPool(queue.Queue)).read_all(data, size)


@road("by_hand", may_be_none=True)
def thread_pool_shared(data, size):
    pool = shared_pool("ThreadPool", lambda: multiprocessing.pool.ThreadPool(3))
    return sum(pool.starmap(read_at, jobs(data, size), chunksize=1))


@road("by_hand", may_be_none=True)
def thread_pool_private(data, size):
    with multiprocessing.pool.ThreadPool(2) as pool:
        return sum(pool.starmap(read_at, jobs(data, size), chunksize=1))


async def _asyncio_worker(work):
    while True:
        job, answer = await work.get()
        answer.set_result(await asyncio.to_thread(read_at, *job))


async def _asyncio_pool(data, size):
    if "asyncio" not in _pools:
        _pools["asyncio"] = asyncio.Queue()
        _pools["asyncio workers"] = [asyncio.create_task(_asyncio_worker(_pools["asyncio"]))
                                     for _ in range(3)]
    answers = []
    for job in jobs(data, size):
        answers.append(asyncio.get_running_loop().create_future())
        _pools["asyncio"].put_nowait((job, answers[-1]))
    return sum(await asyncio.gather(*answers))


@road("limits", may_be_none=True)
def pool_on_asyncio_queue(data, size):
    """Coroutines that serve all tasks, in the context of whichever started them. Nothing that the
    kernel or libc sees shows whose job they do: run only when asked for."""
    return on_shared_loop(_asyncio_pool(data, size))


@road("by_hand", may_be_none=True, needs=("joblib",))
def joblib_threads(data, size):
    import joblib

    parallel = joblib.Parallel(n_jobs=3, backend="threading")
    return sum(parallel(joblib.delayed(read_at)(*job) for job in jobs(data, size)))


# --- helper threads: libraries ---------------------------------------------------------------------

class CountedFile(io.FileIO):
    """Knows what was read from it: which of several files a pool uses is chance."""

    done = 0

    def readinto(self, buffer):
        size = super().readinto(buffer)
        self.done += size
        return size

    def readall(self):
        whole = super().readall()
        self.done += len(whole)
        return whole


@road("libraries", takes="root", needs=("uproot.source.fsspec",))
def uproot_threads(path, _size):
    """MultithreadedFileSource: several files open, a thread for each, jobs on one queue."""
    import uproot

    opened_files = []

    class Source(uproot.source.file.MultithreadedFileSource):
        def _open(self):
            super()._open()
            for worker in self._executor._workers:
                worker.resource._file.close()
                opened_files.append(CountedFile(self._file_path))
                worker.resource._file = io.BufferedReader(opened_files[-1])

    with uproot.open(path, handler=Source, num_workers=3, use_threads=True) as file:
        file["tree"].arrays(library="np")
    assert len(opened_files) >= 3
    return sum(one.done for one in opened_files)


@road("libraries", takes="parquet", needs=("pyarrow",))
def pyarrow_table(path, size):
    import pyarrow.parquet

    pyarrow.parquet.read_table(path)
    return size


@road("libraries", takes="dataset", needs=("pyarrow",))
def pyarrow_dataset(paths, size):
    import pyarrow.dataset

    pyarrow.dataset.dataset(paths, format="parquet").to_table()
    return size


@road("libraries", column=None)
def blas(_data, size):
    """Several threads, and not a byte read."""
    side = 200 + size % 100
    matrix = np.ones((side, side))
    for _ in range(5):
        assert (matrix @ matrix)[0, 0] == side
    return {}


# --- CPU time and memory of helpers ----------------------------------------------------------------

def burn(size):
    """Some CPU time, and an array; (CPU seconds)."""
    start = time.thread_time()
    array = np.ones(1000 * size, dtype="u1")
    while time.thread_time() - start < size / 500_000:
        pass
    assert array[-1] == 1
    return time.thread_time() - start


def _burnt(seconds, size):
    """The clock is read around calls only: what a helper does between them is known, not more."""
    return {"at_least": {"helper_cpu_s": 0.8 * seconds, "alloc_bytes": 1000 * size},
            "at_most": {"helper_cpu_s": seconds + 0.05, "alloc_bytes": 1000 * size + 8 * MB}}


@road("cpu", column=None, rare=True)
def burn_to_thread(_data, size):
    return _burnt(on_shared_loop(asyncio.to_thread(burn, size)), size)


@road("cpu", column=None, rare=True)
def burn_executor(_data, size):
    return _burnt(shared_executor().submit(burn, size).result(PATIENCE), size)


@road("cpu", column=None, rare=True)
def burn_thread(_data, size):
    return _burnt(in_thread(burn, size), size)


# --- other processes -------------------------------------------------------------------------------

@road("processes", column="child_read_bytes")
def subprocess_run(data, size):
    command = ["head", "-c", str(size), pick(data, size)]
    return len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


@road("processes", column="child_read_bytes")
def subprocess_shell(data, size):
    """A child's children."""
    half = size // 2
    command = f"head -c {half} {data[0]} >/dev/null; head -c {size - half} {data[1]} >/dev/null"
    subprocess.run(["sh", "-c", command], check=True)
    return size


@road("processes", column="child_read_bytes")
def subprocess_executor(data, size):
    """Started by a thread of a pool."""
    return shared_executor().submit(subprocess_run, data, size).result(PATIENCE)


async def _subprocess(data, size):
    child = await asyncio.create_subprocess_exec("head", "-c", str(size), pick(data, size),
                                                 stdout=asyncio.subprocess.PIPE)
    return len((await child.communicate())[0])


@road("processes", column="child_read_bytes")
def subprocess_asyncio(data, size):
    """Started by the loop that all tasks share."""
    return on_shared_loop(_subprocess(data, size))


@road("processes", column="child_read_bytes")
def os_fork(data, size):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if battery_child.read(pick(data, size), size) == size else 1)
    assert os.waitpid(pid, 0)[1] == 0
    return size


def _process(method, data, size):
    context = multiprocessing.get_context(method)
    results = context.SimpleQueue()
    child = context.Process(target=battery_child.read_and_tell,
                            args=(pick(data, size), size, results))
    child.start()
    done = results.get()
    child.join()
    return done


@road("processes", column="child_read_bytes")
def process_fork(data, size):
    return _process("fork", data, size)


def _imports_main(size):
    """A new interpreter runs the program of its parent, `dask`, which without .py at its end looks
    like data. It reads it three times, as strace shows, and its last 22 bytes once more: is it a
    zip file, is it compiled, what does it say?"""
    main = 3 * os.path.getsize(sys.modules["__main__"].__file__) + 22
    return {"at_least": {"child_read_bytes": size}, "at_most": {"child_read_bytes": size + main}}


@road("processes", column="child_read_bytes", rare=True)
def process_spawn(data, size):
    return _imports_main(_process("spawn", data, size))


@road("processes", column="child_read_bytes", rare=True)
def process_forkserver(data, size):
    return _imports_main(_process("forkserver", data, size))


@road("processes", column="child_read_bytes", rare=True)
def process_pool(data, size):
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(
            2, mp_context=context, initializer=battery_child.forget_pools) as pool:
        futures = [pool.submit(battery_child.read, path, length, at)
                   for path, at, length in jobs(data, size, 4)]
        return sum(future.result(PATIENCE) for future in futures)


def _kernel_says(process, what):
    try:
        return Path(f"/proc/{process}/{what}").read_text().replace("\0", " ").strip()
    except OSError as error:
        return str(error)


def describe_threads():
    """Where all threads of the worker are, and what its children wait for in the kernel."""
    children = _kernel_says("self", "task/" + str(os.getpid()) + "/children").split()
    for thread in Path("/proc/self/task").iterdir():
        children += _kernel_says("self", f"task/{thread.name}/children").split()
    with tempfile.TemporaryFile("w+") as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        lines = [file.read()]
    for child in sorted(set(children)):
        threads = {thread.name: _kernel_says(child, f"task/{thread.name}/wchan")
                   for thread in Path(f"/proc/{child}/task").glob("*")}
        lines.append(f"child {child}: {_kernel_says(child, 'cmdline')}: {threads}")
    return "\n".join(lines)


# --- sockets: (address, size) ----------------------------------------------------------------------

def http_head(size, version="1.0"):
    return f"HTTP/{version} 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()


def connected(address, size):
    connection = socket.create_connection(tuple(address), PATIENCE)
    connection.sendall(b"RAW %d\n" % size)
    return connection


def receive(address, size):
    done = 0
    with connected(address, size) as connection:
        while piece := connection.recv(16_384):
            done += len(piece)
    return done


@road("sockets", takes="server", column="recv_bytes")
def tcp_recv(address, size):
    return receive(address, size)


@road("sockets", takes="server", column="recv_bytes")
def tcp_recv_into(address, size):
    buffer, done = bytearray(16_384), 0
    with connected(address, size) as connection:
        while piece := connection.recv_into(buffer):
            done += piece
    return done


@road("sockets", takes="server", column="recv_bytes")
def tcp_makefile(address, size):
    with connected(address, size) as connection, connection.makefile("rb") as file:
        return len(file.read())


@road("sockets", takes="server", column="recv_bytes")
def tcp_thread(address, size):
    return in_thread(receive, address, size)


@road("sockets", takes="server", column="recv_bytes")
def tcp_executor(address, size):
    parts = [length for _, length in pieces(size, 4)]
    return sum(shared_executor().map(lambda part: receive(address, part), parts))


@road("sockets", takes="server", column="recv_bytes")
def tcp_to_thread(address, size):
    return on_shared_loop(asyncio.to_thread(receive, address, size))


async def _stream(address, size):
    reader, writer = await asyncio.open_connection(*address)
    writer.write(b"RAW %d\n" % size)
    done = len(await reader.read())
    writer.close()
    return done


@road("sockets", takes="server", column="recv_bytes")
def tcp_asyncio(address, size):
    return asyncio.run(_stream(address, size))


@road("sockets", takes="server", column="recv_bytes")
def tcp_shared_loop(address, size):
    """The loop that all tasks share receives for them."""
    return on_shared_loop(_stream(address, size))


@road("sockets", takes="server", column="recv_bytes")
def http_urllib(address, size):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://{address[0]}:{address[1]}/{size}", timeout=PATIENCE) as answer:
        return len(http_head(size)) + len(answer.read())


@road("sockets", takes="server", column="recv_bytes", needs=("aiohttp", "fsspec"))
def fsspec_http(address, size):
    import fsspec

    files = fsspec.filesystem("http", skip_instance_cache=True)
    whole = files.cat_file(f"http://{address[0]}:{address[1]}/{size}")
    return len(http_head(size)) + len(whole)


@road("sockets", takes="server", column="recv_bytes", needs=("aiohttp", "fsspec"),
      may_be_none=True)
def fsspec_http_kept(address, size):
    """Connections that stay open: one task's are used again by others."""
    import fsspec

    files, done = fsspec.filesystem("http"), 0
    for _, length in pieces(size, 4):
        whole = files.cat_file(f"http://{address[0]}:{address[1]}/kept/{length}")
        done += len(http_head(length, "1.1")) + len(whole)
    return done


# --- other kinds of task ---------------------------------------------------------------------------

@road("async")
async def async_read(data, size):
    """On the event loop's own thread, where other tasks run in between."""
    done = 0
    for job in jobs(data, size):
        done += read_at(*job)
        await asyncio.sleep(0)
    return done


@road("async")
async def async_to_thread(data, size):
    return await _read_pieces(data, size, memoryview(bytearray(size)))


@road("async")
async def async_executor(data, size):
    return await _in_executor(shared_executor(), data, size)


@road("async", takes="server", column="recv_bytes")
async def async_stream(address, size):
    return await _stream(address, size)


@road("kinds")
def secedes(data, size):
    """Half of the bytes after the task has left Dask's pool."""
    from distributed import rejoin, secede

    half = size // 2
    done = pread(data, half)
    secede()
    done += executor_shared(data, size - half)
    rejoin()
    return done


@road("kinds")
def with_client(data, size):
    from distributed import worker_client

    half = size // 2
    done = pread(data, half)
    with worker_client():
        done += preadv(data, size - half)
    return done


@road("kinds", takes="failing")
def raises(data, size):
    executor_shared(data, size)
    raise ValueError("as planned")


@road("kinds", takes="failing")
def fails_first(data, size):
    """The second attempt reads 1000 bytes more, and returns."""
    marker = Path(f"{data[0]}.failed-{size}")
    if marker.exists():
        return to_thread(data, size + 1000)
    marker.touch()
    to_thread(data, size)
    raise OSError("first attempt, as planned")


_generators = {}


def _generator(data, size):
    for job in jobs(data, size):
        yield read_at(*job)


@road("kinds")
def generator(data, size):
    """What one task begins another one of the group goes on with: each pays for what it takes."""
    mine = _generator(data, size)
    done = next(mine)
    with _lock:
        others = _generators.pop("left", None)
        if others is None:
            _generators["left"] = mine
    if others is not None:
        done += sum(others)
    return done


class Actor:
    def __init__(self, data, size):
        self.data = data
        self.done = pread(data, size)

    def read(self, size):
        self.done += pread(self.data, size // 2) + executor_shared(self.data, size - size // 2)
        return self.done

    def total(self):
        return self.done


def cancelled(data, size, note):
    """Goes on after it was cancelled, as tasks do; writes to NOTE what it read."""
    Path(f"{note}.started").touch()
    while not os.path.exists(f"{note}.go"):
        time.sleep(0.01)
    done = pread(data, size // 2) + to_thread(data, size - size // 2)
    Path(f"{note}.new").write_text(str(done))
    os.rename(f"{note}.new", note)


def background(data, size, stop):
    """Reads in small pieces, on its own thread and outside Dask's pool, until STOP exists."""
    from distributed import secede

    secede()
    done, fd = 0, opened(pick(data, size))
    while not os.path.exists(stop):
        done += len(os.pread(fd, size % 4096, done % MB))
        time.sleep(0.002)
    os.close(fd)
    return done


def make_noise(pid):
    """In a worker: threads that print and log all the time, and one that makes others wait for a
    lock which every start of a thread takes. And the event loop that all share: if a task started
    its thread, that task's processes would be unattributed, since the loop serves others."""
    import logging

    shared_loop()
    logger = logging.getLogger("battery.noise")

    def talk():
        while True:
            print("noise", file=sys.stdout, flush=True)
            logger.warning("noise of %d", pid)
            time.sleep(0.01)

    def hold():
        while True:
            with threading._active_limbo_lock:
                time.sleep(0.0003)
            time.sleep(0.003)

    for noise in (talk, talk, hold):
        threading.Thread(target=noise, daemon=True).start()
