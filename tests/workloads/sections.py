"""Sections and values of a program of its own: what each task did in which section is known, and
printed as "key section parent entries read_bytes least_alloc". Also what no section may do: change
results, swallow errors, or end another one's."""

import asyncio
import ctypes
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))

import cupping
from run_task import Failed, run

path = sys.argv[1]


def read(bytes_):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return len(os.pread(descriptor, bytes_, 0))
    finally:
        os.close(descriptor)


before = []


def frees_what_was_there():
    before.clear()
    with cupping.section("after freeing"):
        kept = bytearray(5_000_000)
        with cupping.section("still below"):
            del kept
            kept = bytearray(4_000_000)
    return len(kept)


def nested():
    for _ in range(3):
        with cupping.section("outer"):
            read(1000)
            with cupping.section("inner"):
                kept = bytearray(5_000_000)
                read(500)
            del kept
    cupping.value("answer", 42)
    cupping.value("answer", -2.5)
    return "nested"


@cupping.section("decorated")
def decorated(x):
    """its own text"""
    return read(x)


def by_decorator():
    return decorated(10) + decorated(20), decorated.__name__, decorated.__doc__


def raises():
    with cupping.section("raising"):
        read(7)
        raise ValueError("mine")


def left_open():
    cupping.section("left open").__enter__()
    return read(11)


def fail_to_grow():
    """A realloc() that fails frees nothing."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = libc.realloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    kept = libc.malloc(10_000_000)
    for _ in range(5):
        assert libc.realloc(kept, sys.maxsize) is None
    libc.free(kept)


def helper():
    """What a thread that the task started reads meanwhile is in the section of the task."""

    def work():
        for _ in range(5):
            read(100_000)
        fail_to_grow()

    with cupping.section("with a helper"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def begun_elsewhere():
    """By threads of the task's: what each did itself."""

    def work(amount):
        with cupping.section("of a thread"):
            kept = bytearray(3_000_000)
            read(amount)
            del kept

    threads = [threading.Thread(target=work, args=(amount,)) for amount in (2000, 3000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(work, (4000, 5000)))


def coroutines():
    """Two that take turns: each ends its own."""

    async def one(name, amount):
        with cupping.section(name):
            await asyncio.sleep(0.01)
            read(amount)
            await asyncio.sleep(0.01 if name == "first" else 0.05)

    async def both():
        await asyncio.gather(one("first", 300), one("second", 400))

    asyncio.run(both())


def many():
    for i in range(20_000):
        with cupping.section("many"):
            pass
    with cupping.section("bad \udcff \0 name"):
        read(13)
    for _ in range(100):
        cupping.section("deep").__enter__()


def main():
    with open(path, "wb") as file:
        file.write(b"x" * 1_000_000)
    before.append(bytearray(50_000_000))
    for job in (nested, by_decorator, left_open, helper, begun_elsewhere, coroutines, many,
                frees_what_was_there):
        print(job.__name__, run(job.__name__, job))
    try:
        run("raises", raises)
    except Failed as error:
        print(error)
    with cupping.section("no task"):
        read(17)
    pid = os.fork()
    if pid == 0:
        with cupping.section("child"):
            read(19)
        os._exit(0)
    os.waitpid(pid, 0)
    sys.stdout.flush()


main()
