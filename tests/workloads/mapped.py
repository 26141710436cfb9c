"""Tasks that read files by mapping them: numpy, mmap, pyarrow, uproot.

mapped.py DIRECTORY

Prints `key least most` for each: between what it touched, and that with the pages that the kernel
adds to each touched place, must lie what is counted for it."""

import asyncio
import mmap
import os
import sys
import threading

import numpy as np
import uproot
from run_task import Failed, run

HUGE = 2 << 20  # what the kernel maps at a time, where it keeps a file in its largest folios
TENTH = 2 * HUGE
SIZE = 10 * TENTH + 100
AROUND = 2 * HUGE  # before and behind a touched place
EVENTS = 1000000

directory = sys.argv[1]
data = os.path.join(directory, "data.bin")
events = os.path.join(directory, "events.root")
kept = {}


def write_files():
    numbers = np.random.default_rng(1)
    if os.path.exists(data):
        return
    with uproot.recreate(events, compression=None) as file:
        columns = {name: numbers.normal(size=EVENTS) for name in ("x", "y", "z", "t")}
        file.mktree("Events", {name: column.dtype for name, column in columns.items()})
        file["Events"].extend(columns)
    with open(data, "wb") as file:
        file.write(numbers.bytes(SIZE))


def task(key, function, least, most):
    print(key, least, most, flush=True)
    try:
        run(key, function)
    except Failed as error:
        print(error)


def touch(view, first, last):
    return int(np.frombuffer(view, np.uint8)[first * TENTH:last * TENTH].sum())


def memmap():
    touch(np.memmap(data, mode="r"), 2, 3)


def memmap_all():
    array = np.memmap(data, mode="r")
    return int(array.sum())


def memmap_kept():
    kept["memmap"] = np.memmap(data, mode="r")
    touch(kept["memmap"], 4, 5)


def memmap_of_another():
    """Touched and unmapped by a task that did not map it."""
    touch(kept["memmap"], 0, 10)
    kept.clear()


def memmap_then_error():
    array = np.memmap(data, mode="r")
    raise ValueError(f"{touch(array, 3, 4) > 0}")


def mmap_slice():
    with open(data, "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with view:
        return len(view[TENTH:2 * TENTH])


def mmap_resize():
    path = os.path.join(directory, "resized.bin")
    with open(path, "w+b") as file:
        file.truncate(TENTH)
        with mmap.mmap(file.fileno(), TENTH) as view:
            view[:] = bytes(TENTH)
            view.resize(3 * TENTH)
            view[TENTH:2 * TENTH] = bytes(TENTH)
    os.unlink(path)


def in_a_thread():
    """Mapped, touched and unmapped by asyncio's helper."""
    asyncio.run(asyncio.to_thread(memmap))


def uproot_branch():
    with uproot.open(f"{events}:Events", handler=uproot.MemmapSource) as tree:
        return tree["x"].array(library="np").sum()


def arrow():
    import pyarrow

    with pyarrow.memory_map(data) as file:
        touch(file.read_buffer(TENTH), 0, 1)


def together():
    """Four tasks at a time, each with its own number of tenths."""
    ready = threading.Barrier(4)

    def body(tenths):
        ready.wait()

        def helper():
            array = np.memmap(data, mode="r")
            ready.wait()
            touch(array, 0, tenths)

        asyncio.run(asyncio.to_thread(helper))
        ready.wait()

    for tenths in range(1, 5):
        print(f"together-{tenths}", tenths * TENTH, tenths * TENTH + AROUND)
    threads = [threading.Thread(target=run, args=(f"together-{tenths}", lambda n=tenths: body(n)))
               for tenths in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


write_files()
with uproot.open(f"{events}:Events") as tree:
    branch = tree["x"].compressed_bytes
for one_tenth in (memmap, memmap_kept, memmap_then_error, mmap_slice, in_a_thread):
    task(one_tenth.__name__, one_tenth, TENTH, TENTH + AROUND)
task("memmap_all", memmap_all, SIZE, SIZE)
task("memmap_of_another", memmap_of_another, 0, 0)
task("mmap_resize", mmap_resize, 2 * TENTH, 3 * TENTH)
task("uproot_branch", uproot_branch, branch, branch + 3 * AROUND)
if sys.version_info >= (3, 10):
    task("arrow", arrow, TENTH, TENTH + AROUND)
together()
