"""Tasks whose functions and lines read, use and allocate known amounts: one task for each way in which
Python calls a function. Uploaded to the workers by known_job.py.

A comment at the end of a line names it: "TASK: WHAT". EXPECTED says what is read there, on that line
with all that it calls, and in which function; known_check.py judges.
"""

import asyncio
import ctypes
import functools
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

CPU_S = 0.2  # of each task, all of it in use()
PIECE = 5 << 20  # allocated by each task, in use(); all such are looked at


def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(i * i for i in range(500))


def use(part=1):
    """What each task uses beside the bytes that it reads; PART: of so many."""
    burn(CPU_S / part)
    for _ in range(4 // part):
        bytearray(PIECE)


# ---- ways to be called -------------------------------------------------------------------------


def recursion(file, _):
    def down(depth):
        if depth:
            return down(depth - 1)
        os.pread(file, 41000, 0)  # recursion: read
        return use()  # recursion: use

    down(40)  # recursion: call


def generators(file, _):
    def pieces():
        for i in range(4):
            os.pread(file, 10500, i)  # generators: read
            use(4)  # generators: use
            yield i

    def passed_on():
        yield from pieces()  # generators: call

    return sum(passed_on())


def decorators(file, _):
    def counted(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)  # decorators: call

        return wrapper

    @counted
    @counted
    def decorated(amount):
        os.pread(file, amount, 0)  # decorators: read
        use()  # decorators: use

    decorated(43000)


def lambdas(file, _):
    reads = lambda at: os.pread(file, 22000, at)  # noqa: E731  # lambdas: read
    list(map(reads, range(2)))  # lambdas: call
    (lambda: use())()  # lambdas: use


TEXT = """

def made(file):
    return os.pread(file, 45000, 0)
made(file)
use()
"""


def executed(file, _):
    exec(compile(TEXT, "<made>", "exec"), {"os": os, "use": use, "file": file})  # executed: use; executed: call


def sorting(file, _):
    def by_content(number):
        os.pread(file, 11500, number)  # sorting: read
        use(4)  # sorting: use
        return -number

    sorted(range(4), key=by_content)  # sorting: call


def called_from_c(file, _):
    def compare(left, right):
        os.pread(file, 47000, 0)  # called_from_c: read
        use()  # called_from_c: use
        return 0

    pair = (ctypes.c_int * 2)(1, 2)
    as_c = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(compare)
    ctypes.CDLL(None).qsort(pair, 2, 4, as_c)  # called_from_c: call


def coroutines(file, _):
    async def reads():
        await asyncio.sleep(0)
        os.pread(file, 24000, 0)  # coroutines: read
        use(2)  # coroutines: use

    async def both():
        await asyncio.gather(reads(), reads())

    asyncio.run(both())  # coroutines: call


def in_executor(file, _):
    def reads():
        os.pread(file, 49000, 0)  # in_executor: read
        use()  # in_executor: use

    async def waits():
        await asyncio.get_running_loop().run_in_executor(None, reads)  # in_executor: call

    asyncio.run(waits())


def pool(file, _):
    def reads(number):
        os.pread(file, 12500, number)  # pool: read
        use(2)  # pool: use

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(reads, range(4)))  # pool: call


def extension(_, directory):
    """SQLite's C library reads: pages of a table."""
    base = sqlite3.connect(f"file:{directory}/known.sqlite?mode=ro&immutable=1", uri=True)
    base.execute("select sum(length(piece)) from pieces").fetchall()  # extension: call; extension: read
    base.close()
    use()  # extension: use


def through_numpy(_, directory):
    import numpy

    numpy.fromfile(f"{directory}/known.dat", "u1", 61000)  # through_numpy: read; through_numpy: call
    use()  # through_numpy: use


def through_h5py(_, directory):
    import h5py

    with h5py.File(f"{directory}/known.h5") as file:
        file["pieces"][...]  # through_h5py: read; through_h5py: call
    use()  # through_h5py: use


def through_arrow(_, directory):
    """Threads of a C++ library read, that know nothing of Python."""
    import pyarrow.parquet

    pyarrow.parquet.read_table(f"{directory}/known.parquet")  # through_arrow: call
    use()  # through_arrow: use


def kernels(*_):
    """Loops in C, called by packages in Python."""
    import awkward
    import numpy

    array = numpy.random.default_rng(1).random(200000)
    jagged = awkward.unflatten(array, 20)
    for sort in (
        lambda: numpy.sort(array),  # kernels: numpy
        lambda: awkward.sort(jagged),  # kernels: awkward
    ):
        until = time.thread_time() + CPU_S
        while time.thread_time() < until:
            sort()


async def on_loop(number, path):
    """Tasks that take turns on the worker's event loop, each in a section of its own."""
    import cupping

    file = os.open(path, os.O_RDONLY)
    with cupping.section("on the loop"):
        os.pread(file, 5000, 0)
        await asyncio.sleep(0.05)
        os.pread(file, 1000 * number, 0)
    os.close(file)


# function in which the read stands (None: in none of Python's), bytes on the line "read", most that may come on top: what a
# library reads ahead or to find its data; how much of use() it does
EXPECTED = {
    recursion: ("down", 41000, 0, 1),
    generators: ("pieces", 42000, 0, 1),
    decorators: ("decorated", 43000, 0, 1),
    lambdas: ("<lambda>", 44000, 0, 1),
    executed: ("made", 45000, 0, 1),
    sorting: ("by_content", 46000, 0, 1),
    called_from_c: ("compare", 47000, 0, 1),
    coroutines: ("reads", 48000, 0, 1),
    in_executor: ("reads", 49000, 0, 1),
    pool: ("reads", 50000, 0, 2),
    extension: ("extension", 1000000, 100000, 1),
    through_numpy: ("through_numpy", 61000, 8192, 1),
    through_arrow: (None, 1600000, 200000, 1),
    through_h5py: ("Dataset.__getitem__", 800000, 100000, 1),
}


def make_files(directory):
    """What the tasks read: known.dat, known.sqlite; known.h5 and known.parquet where there is what writes
    them."""
    with open(f"{directory}/known.dat", "wb") as file:
        file.write(os.urandom(1 << 20))
    with sqlite3.connect(f"{directory}/known.sqlite") as base:
        base.execute("create table pieces (piece blob)")
        base.executemany("insert into pieces values (?)", [(os.urandom(1000),) for _ in range(1000)])
    base.close()
    try:
        import h5py
        import numpy
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    table = pyarrow.table({"pieces": numpy.random.default_rng(1).random(200000)})
    pyarrow.parquet.write_table(table, f"{directory}/known.parquet", compression="none", use_dictionary=False)
    with h5py.File(f"{directory}/known.h5", "w") as file:
        file["pieces"] = list(range(100000))


def run(task, directory):
    """TASK with a file to read from."""
    descriptor = os.open(f"{directory}/known.dat", os.O_RDONLY)
    try:
        task(descriptor, directory)
    finally:
        os.close(descriptor)
