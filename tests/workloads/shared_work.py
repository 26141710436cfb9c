"""Work that one task's helper takes from another task: shared_work.py DIRECTORY

A job of an executor, or a thread, that the first task started, reads 1000 bytes for it, then takes
work of the second task, which runs at the same time, and reads 20000 bytes. None of these may be
the first task's. Then the same within one task, "own", while another task runs: all is its own.

DIRECTORY/expected gets "key at-least at-most" lines of bytes that a task's helpers read."""

import collections
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from run_task import run

directory = sys.argv[1]
PATIENCE = 60


def read(size):
    with open(f"{directory}/data", "rb", buffering=0) as file:
        assert len(file.read(size)) == size
    return size


class Waiting:
    """A SimpleQueue, whose taker waits for items."""

    def __init__(self):
        self.items = queue.SimpleQueue()
        self.put, self.take = self.items.put, self.items.get


class Full(Waiting):
    """A SimpleQueue that has an item whenever one is taken."""

    def take(self):
        while self.items.empty():
            time.sleep(0.001)
        return self.items.get()


class Iterated(Waiting):
    """A SimpleQueue that only an iterator takes items from."""

    def __init__(self):
        super().__init__()
        iterator = iter(self.items.get, None)
        self.take = lambda: next(iterator)


class Locked:
    """A list that is looked at again and again, under a lock."""

    def __init__(self):
        self.items, self.lock = [], self.make_lock()

    make_lock = staticmethod(threading.Lock)

    def put(self, item):
        with self.lock:
            self.items.append(item)

    def take(self):
        while True:
            with self.lock:
                if self.items:
                    return self.items.pop()
            time.sleep(0.001)


class LockedAgain(Locked):
    make_lock = staticmethod(threading.RLock)


class Conditional:
    """A deque and a condition."""

    def __init__(self):
        self.items, self.changed = collections.deque(), threading.Condition()

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def take(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            return self.items.popleft()


class ConditionalFull(Conditional):
    """The same, always with an item."""

    def take(self):
        while not self.items:
            time.sleep(0.001)
        return super().take()


class Busy:
    """A Queue with an item, whose lock another thread has whenever one asks for it."""

    def __init__(self):
        self.items, self.wanted, self.held = queue.Queue(), False, False
        self.put = self.items.put
        outside.append(self.hold)

    def hold(self):
        while not self.wanted:
            time.sleep(0.001)
        with self.items.mutex:
            self.held = True
            time.sleep(0.05)

    def take(self):
        while not self.items.queue:
            time.sleep(0.001)
        self.wanted = True
        while not self.held:
            time.sleep(0.001)
        return self.items.get()


outside = []  # functions to run in a thread of no task


def run_outside():
    while True:
        while outside:
            outside.pop()()
        time.sleep(0.001)


def in_job(work):
    pool = ThreadPoolExecutor(1)
    return pool.submit(work)


def in_thread(work):
    threading.Thread(target=work).start()


def together(*bodies):
    tasks = [threading.Thread(target=run, args=each) for each in bodies]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()


def both(key, start, make):
    box = make()
    started, done = threading.Event(), []

    def work():
        read(1000)
        done.append(True)
        size = box.take()
        done.append(read(size))

    def first():
        start(work)
        while len(done) < 1:
            time.sleep(0.001)
        started.set()
        while len(done) < 2:
            time.sleep(0.001)
        time.sleep(0.02)

    def second():
        started.wait(PATIENCE)
        box.put(20000)
        while len(done) < 2:
            time.sleep(0.001)
        time.sleep(0.02)

    together((f"{key}-1", first), (f"{key}-2", second))


def own(key, make):
    """Jobs of one task share a box of their own."""
    ended = threading.Event()

    def first():
        box = make()
        for _ in range(8):
            box.put(1000)
        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(lambda: read(box.take())) for _ in range(8)]:
                done.result()
        ended.set()

    together((f"{key}-1", first), (f"{key}-2", ended.wait))


BOXES = (Waiting, Full, Iterated, Locked, LockedAgain, Conditional, ConditionalFull, Busy)


def unseen(start, make):
    """Jobs that this Python lets the library not see through: docs/limits.md."""
    if start is in_thread or sys.version_info >= (3, 14):
        return False
    return make not in (Conditional, Busy) and not (issubclass(make, Waiting) and sys.version_info >= (3, 13))


def main():
    threading.Thread(target=run_outside, daemon=True).start()
    with open(f"{directory}/data", "wb") as file:
        file.write(b"x" * 20000)
    with open(f"{directory}/expected", "w") as expected:
        for start in (in_job, in_thread):
            for make in BOXES:
                key = f"{start.__name__}-{make.__name__}"
                if not unseen(start, make):
                    both(key, start, make)
                    expected.write(f"{key}-1 0 1000\n{key}-2 0 0\n")
        for make in (Locked, LockedAgain, Conditional, ConditionalFull):
            own(f"own-{make.__name__}", make)
            expected.write(f"own-{make.__name__}-1 8000 8000\nown-{make.__name__}-2 0 0\n")


main()
