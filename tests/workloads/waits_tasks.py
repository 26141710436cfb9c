"""Tasks that wait, and what each waited for.

A workload is a function of a `Place`. How long it was blocked in all (wall time less CPU time less
run delay) is measured around it. What it returns, {class: nanoseconds}, is what it knows of that by
itself; all the rest is of one class, which WORKLOADS names. Where the rest is not `gil`, the waits
are Python's own, of which the ends are for the GIL; those together cannot be longer
than `gil_at_most`, for which other threads ran, or would have, had they had a core. `loose` is time
whose class is unknown, `helper_*` is that of threads that the task started.

Classes: io gil lock sleep poll fault, as in cupping's columns.
"""

import asyncio
import concurrent.futures
import ctypes
import fcntl
import functools
import http.client
import mmap
import multiprocessing
import os
import queue
import select
import socket
import subprocess
import threading
import time
import zlib
from collections import namedtuple

CLASSES = ("io", "gil", "lock", "sleep", "poll", "fault")
PAGE = 4096
PARTS = 8  # of what tasks of one time must not share


class Clocks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("wall", "cpu", "delay")]


class Truth:
    """libtruth.so. Clocks are read with the GIL kept, waits are made without."""

    def __init__(self, path):
        self.quick, self.slow = ctypes.PyDLL(path), ctypes.CDLL(path)
        for name, *types in (("sleep", ctypes.c_long), ("futex", ctypes.c_long),
                             ("condition", ctypes.c_long), ("mutex",),
                             ("touch", ctypes.c_void_p, ctypes.c_long, ctypes.c_long)):
            function = getattr(self.slow, f"truth_{name}")
            function.restype, function.argtypes = ctypes.c_int64, types
            setattr(self, name, function)

    def now(self):
        clocks = Clocks()
        self.quick.truth_clocks(ctypes.byref(clocks))
        return clocks

    def since(self, before):
        """(wall, cpu, delay, blocked) in nanoseconds."""
        now = self.now()
        parts = [getattr(now, name) - getattr(before, name) for name in ("wall", "cpu", "delay")]
        return (*parts, parts[0] - parts[1] - parts[2])


truth_of = functools.cache(Truth)


class Place:
    """What the driver prepared: {name: path or number}, and the task's number."""

    def __init__(self, given, number):
        self.given, self.number = given, number
        self.truth = truth_of(given["libtruth"])

    def path(self, name):
        return self.given[name]

    def fresh(self, name):
        """A path that no task had before."""
        return f"{self.given['scratch']}/{name}-{self.number}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.given["port"]))


# --- time and locks --------------------------------------------------------------------------------

def sleep(place):
    for _ in range(15):
        time.sleep(0.01)


def select_nothing(place):
    for _ in range(15):
        select.select([], [], [], 0.01)


def sleep_in_c(place):
    return {"sleep": sum(place.truth.sleep(10_000_000) for _ in range(15))}


def sleep_and_loop(place):
    slept = 0
    for _ in range(10):
        slept += place.truth.sleep(5_000_000)
        sum(range(300_000))
    return {"sleep": slept}


def until_taken(place):
    """The other holder of a lock comes back a millisecond after it gave it up."""
    return place.truth.sleep(4_000_000)


def lock_of_python(place):
    lock, slept = OTHERS["lock"].thing, 0
    for i in range(6):
        assert lock.acquire(timeout=5) if i % 2 else lock.acquire()
        lock.release()
        slept += until_taken(place)
    return {"sleep": slept}


def condition(place):
    condition = OTHERS["condition"].thing
    for i in range(8):
        with condition:
            condition.wait(timeout=5 if i % 2 else None)


def event(place):
    for _ in range(3):
        threading.Event().wait(0.05)


def queue_get(place):
    given = OTHERS["queue"].thing
    for _ in range(6):
        given.get()


def lock_of_processes(place):
    lock, slept = OTHERS["process_lock"].thing, 0
    for _ in range(6):
        with lock:
            pass
        slept += until_taken(place)
    return {"sleep": slept}


common_lock = threading.Lock()


def lock_of_tasks(place):
    """Held by other tasks, if there are any."""
    locked = 0
    for _ in range(4):
        before = place.truth.now()
        common_lock.acquire()
        locked += place.truth.since(before)[3]
        time.sleep(0.02)
        common_lock.release()
    return {"lock": locked}


def lock_in_c(place):
    truth = place.truth
    return {"lock": sum(truth.mutex() + truth.futex(10_000_000) + truth.condition(10_000_000)
                        for _ in range(4))}


def lock_of_file(place):
    fd, slept = os.open(place.path("flock"), os.O_RDWR), 0
    for _ in range(6):
        fcntl.flock(fd, fcntl.LOCK_EX)
        fcntl.flock(fd, fcntl.LOCK_UN)
        slept += until_taken(place)
    os.close(fd)
    return {"sleep": slept}


def child_process(place):
    started, child = blocked_in(place, subprocess.Popen, ["sleep", "0.1"])
    assert child.wait() == 0
    return {"loose": started}


# --- CPU time --------------------------------------------------------------------------------------

def loop(place):
    for _ in range(25):
        sum(range(200_000))


def compress(place):
    data = os.urandom(1 << 18)
    for _ in range(15):
        zlib.compress(data)


# --- files -----------------------------------------------------------------------------------------

def cached_read(place):
    buffer = bytearray(1 << 20)  # new ones for each read would be waits for the memory map
    for _ in range(10):
        with open(place.path("cached"), "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def direct_read(place):
    fd = os.open(place.path("large"), os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, 1 << 18)
    for i in range(80):
        os.preadv(fd, [buffer], i << 18)
    os.close(fd)


def write_through(place):
    with open(place.fresh("written"), "wb", buffering=0) as file:
        for _ in range(4):
            file.write(bytes(1 << 18))
            os.fsync(file.fileno())
    os.unlink(file.name)


def mount_read(place):
    with open(f"{place.path('mount')}/direct-{place.number}", "rb", buffering=0) as file:
        for _ in range(6):
            assert len(file.read(PAGE)) == PAGE


def blocked_in(place, function, *arguments):
    before = place.truth.now()
    result = function(*arguments)
    return place.truth.since(before)[3], result


def touch(place, path, size, stride):
    """Opening and closing may ask a file system of elsewhere too."""
    opening, fd = blocked_in(place, os.open, path, os.O_RDONLY)
    mapping = mmap.mmap(fd, size, mmap.MAP_PRIVATE)  # writable: has an address
    mapping.madvise(mmap.MADV_RANDOM)
    start = ctypes.c_char.from_buffer(mapping)
    faults = place.truth.touch(ctypes.addressof(start), size, stride)
    del start
    closing = blocked_in(place, mapping.close)[0] + blocked_in(place, os.close, fd)[0]
    return {"fault": faults, "io": opening + closing}


def mount_fault(place):
    return touch(place, f"{place.path('mount')}/mapped-{place.number}", 1 << 16, 3 * PAGE)


def disk_fault(place):
    path = place.path("cold")[place.number % PARTS]
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    return touch(place, path, os.path.getsize(path), 8 * PAGE)


# --- pipes and sockets -----------------------------------------------------------------------------

def open_fifo(place):
    fd = os.open(place.path("fifos")[place.number % PARTS], os.O_RDONLY | os.O_NONBLOCK)
    try:
        while os.read(fd, 1 << 16):
            pass
    except BlockingIOError:
        os.set_blocking(fd, True)
    return fd


def pipe(place):
    fd = open_fifo(place)
    for _ in range(15):
        os.read(fd, 1)
    os.close(fd)


def late_answer(place):
    with place.connect() as connection:
        for _ in range(4):
            connection.sendall(b"30\n")
            assert connection.recv(100) == b"ok\n"


def late_poll(place):
    """A socket with a time-out is polled; and so it is by hand."""
    with place.connect() as connection:
        connection.settimeout(10)
        waiting = select.poll()
        waiting.register(connection, select.POLLIN)
        for i in range(4):
            connection.sendall(b"30\n")
            if i % 2:
                select.select([connection], [], [], 5) if i == 1 else waiting.poll(5000)
            assert connection.recv(100) == b"ok\n"


def late_http(place):
    connection = http.client.HTTPConnection("127.0.0.1", place.given["port"])
    for _ in range(4):
        connection.request("GET", "/30")
        assert connection.getresponse().read() == b"ok\n"
    connection.close()


async def ask(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(4):
        writer.write(b"30\n")
        assert await reader.readline() == b"ok\n"
    writer.close()


def late_asyncio(place):
    asyncio.run(ask(place.given["port"]))


# --- helpers: threads that a task waits for --------------------------------------------------------

def measured(place, function, reported):
    """FUNCTION, and into TOLD how long it was blocked."""
    before = place.truth.now()
    function(place)
    reported.update(ns=place.truth.since(before)[3], begin=before, end=place.truth.now())


def in_pool(place, function, part):
    """While the helper waits for something, so does the task; while the helper works, or would if
    it had a core, the task waits for it."""
    reported = {}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(measured, place, function, reported).result()
    return {part: reported["ns"], f"helper_{part}": reported["ns"]}


def in_thread(place, function, part):
    reported = {}
    thread = threading.Thread(target=measured, args=(place, function, reported))
    thread.start()
    thread.join()
    return {part: reported["ns"], f"helper_{part}": reported["ns"]}


def pool_sleep(place):
    return in_pool(place, sleep, "sleep")


def pool_pipe(place):
    return in_pool(place, pipe, "poll")


def pool_socket(place):
    return in_pool(place, late_answer, "poll")


def pool_mount(place):
    return in_pool(place, mount_read, "io")


def pool_disk(place):
    return in_pool(place, direct_read, "io")


def pool_loop(place):
    """The task waits for its helper, which competes for the GIL. The task competes for it, too, when it
    starts the helper, before it can wait for it, and afterwards. Only the library knows how long, so
    the test can check only the sum of both."""
    return in_pool(place, loop, "gil") | {"loose": None}


def thread_sleep(place):
    return in_thread(place, sleep, "sleep")


def thread_pipe(place):
    return in_thread(place, pipe, "poll")


def thread_mount(place):
    return in_thread(place, mount_read, "io")


def to_thread_sleep(place):
    """The task is in epoll_wait, which waits for anything: it is not broken down. Before and after,
    it waits for threads to begin and to end."""
    reported = {}
    blocked, _ = blocked_in(place, asyncio.run, to_thread(measured, place, sleep, reported))
    return {"helper_sleep": reported["ns"], "loose": max(0, blocked - reported["ns"])}


async def to_thread(function, *arguments):
    await asyncio.get_running_loop().run_in_executor(None, function, *arguments)


# --- threads that no task started ------------------------------------------------------------------

class Other:
    """A thread of the worker that does STEP over and over with THING, and works for no task."""

    def __init__(self, thing, step):
        self.thing, self.step, self.ends = thing, step, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends:
            self.step(self.thing)

    def stop(self):
        self.ends = True
        self.thread.join(5)


def hold(lock):
    with lock:
        time.sleep(0.02)
    time.sleep(0.001)


def notify(condition):
    time.sleep(0.02)
    with condition:
        condition.notify_all()


def put(given):
    time.sleep(0.01)
    if given.qsize() < 2:
        given.put(None)


class HoldInC:
    """The mutex of libtruth.so."""

    def __init__(self, given):
        self.library, self.end = ctypes.CDLL(given["libtruth"]), ctypes.c_int()
        self.thread = threading.Thread(target=self.library.truth_hold, daemon=True,
                                       args=(ctypes.byref(self.end), ctypes.c_long(20_000_000)))
        self.thread.start()

    def stop(self):
        self.end.value = 1
        self.thread.join(5)


MAKE_OTHER = {
    "lock": lambda given: Other(threading.Lock(), hold),
    "condition": lambda given: Other(threading.Condition(), notify),
    "queue": lambda given: Other(queue.Queue(), put),
    "process_lock": lambda given: Other(multiprocessing.get_context("spawn").Lock(), hold),
    "mutex": HoldInC,
}
OTHERS = {}


def start_other(name, given):
    OTHERS[name] = MAKE_OTHER[name](given)


def stop_other(name):
    OTHERS.pop(name).stop()


# --- the list --------------------------------------------------------------------------------------

Workload = namedtuple("Workload", "function rest other burners needs", defaults=("", 0, ""))

WORKLOADS = {workload.function.__name__: workload for workload in (
    Workload(sleep, "sleep"),
    Workload(select_nothing, "sleep"),
    Workload(sleep_in_c, "gil"),
    Workload(sleep_and_loop, "gil"),
    Workload(lock_of_python, "lock", "lock"),
    Workload(condition, "lock", "condition"),
    Workload(event, "lock"),
    Workload(queue_get, "lock", "queue"),
    Workload(lock_of_processes, "lock", "process_lock"),
    Workload(lock_of_tasks, "sleep"),
    Workload(lock_in_c, "gil", "mutex"),
    Workload(lock_of_file, "lock"),
    Workload(child_process, "lock"),
    Workload(loop, "gil"),
    Workload(compress, "gil"),
    Workload(cached_read, "gil"),
    Workload(direct_read, "io"),
    Workload(write_through, "io"),
    Workload(mount_read, "io", needs="mount"),
    Workload(mount_fault, "gil", needs="mount"),
    Workload(disk_fault, "gil"),
    Workload(pipe, "poll"),
    Workload(late_answer, "poll"),
    Workload(late_poll, "poll"),
    Workload(late_http, "poll"),
    Workload(late_asyncio, "poll"),
    Workload(pool_sleep, "lock"),
    Workload(pool_pipe, "lock"),
    Workload(pool_socket, "lock"),
    Workload(pool_mount, "lock", needs="mount"),
    Workload(pool_disk, "lock"),
    Workload(pool_loop, "lock"),
    Workload(thread_sleep, "lock"),
    Workload(thread_pipe, "lock"),
    Workload(thread_mount, "lock", needs="mount"),
    Workload(to_thread_sleep, "poll"),
)}
# More processes than cores: the run delay must not be taken for a wait.
WORKLOADS["loop_crowded"] = Workload(loop, "gil", burners=3)
WORKLOADS["sleep_crowded"] = Workload(sleep_and_loop, "gil", burners=3)


def work_of_others():
    """CPU time and run delay of the process's other threads, so far, in nanoseconds."""
    mine, total = threading.get_native_id(), 0
    for tid in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{tid}/schedstat") as file:
                total += sum(map(int, file.read().split()[:2])) if int(tid) != mine else 0
        except OSError:  # ended meanwhile
            pass
    return total


def run(name, given, number):
    """The task. Returns seconds by the names that stand at the top, and of wall, cpu, run_delay."""
    workload, place = WORKLOADS[name], Place(given, number)
    before, work = place.truth.now(), work_of_others()
    reported = workload.function(place) or {}
    work = work_of_others() - work
    wall, cpu, delay, blocked = place.truth.since(before)
    reported[workload.rest] = blocked - sum(reported.get(part, 0) for part in CLASSES)
    if reported.get("loose", 0) is None:  # all of it
        reported["loose"] = wall
    if "gil" not in reported:
        reported["gil_at_most"] = max(0, work)
    if any("helper" in part for part in reported):  # which may wait while the task does not, or not yet
        reported["loose"] = reported.get("loose", 0) + cpu + delay
    if workload.rest == "gil" and "io" in reported:  # Python's own open ends with a wait for that lock
        reported["loose"] = reported.get("loose", 0) + min(max(0, work), reported["io"])
    reported.update(wall=wall, cpu=cpu, run_delay=delay)
    return {part: ns / 1e9 for part, ns in reported.items()}
