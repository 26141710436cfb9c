"""Reads and allocations in native functions whose names are known, each as a Dask task: what of their stacks is in
the log is judged by native_check.py.

    native_job.py TRACED        directory of libnative.so, libthrows.so and the plugins; prints what the functions
                                returned, which is the same with and without the library
"""

import ctypes
import gzip
import os
import sys
import tempfile

import run_task

LARGE = 8 << 20


def load(name):
    return ctypes.CDLL(os.path.join(sys.argv[1], name))


# ---- one task each -----------------------------------------------------------------------------

def reads():
    return native.native_reads(data)


def allocates():
    return native.native_allocates(ctypes.c_size_t(LARGE))


def calls_back():
    def back(value):
        return native.native_allocates(ctypes.c_size_t(LARGE)) + value

    return native.native_calls_back(Back(back), 7)


def calls_back_twice():
    def inner(value):
        return native.native_reads(data) + value

    def outer(value):
        return native.native_calls_back(Back(inner), value)

    return native.native_calls_back(Back(outer), 1)


def sorts():
    def key(value):
        return len(bytearray(LARGE)) + value

    return sorted([2, 1], key=key)


def unpacks():
    with gzip.open(data.decode() + ".gz") as file:
        return len(file.read())


def throws():
    return throwing.throws(5)


def reads_in_thread():
    return native.native_reads_in_thread(data)


TASKS = (reads, allocates, calls_back, calls_back_twice, sorts, unpacks, throws, reads_in_thread)


def plugin(name):
    """Loads it, calls it, unloads it; returns where it lay."""
    import _ctypes

    library = load(f"libplugin_{name}.so")
    function = getattr(library, f"plugin_{name}")
    at = ctypes.cast(function, ctypes.c_void_p).value
    taken = run_task.run(f"plugin_{name}", lambda: function(ctypes.c_size_t(LARGE))) if name in used else 1
    assert taken == 1
    _ctypes.dlclose(library._handle)
    return at


# ---- all of them -------------------------------------------------------------------------------

def main():
    global native, throwing, Back, data, used
    native, throwing = load("libnative.so"), load("libthrows.so")
    native.native_reads.restype = native.native_reads_in_thread.restype = ctypes.c_long
    Back = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)
    throwing.throws_by.restype = ctypes.c_char_p
    before = throwing.throws_by()
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "data").encode()
        with open(data, "wb") as file:
            file.write(os.urandom(1 << 16) * 64)
        with gzip.open(data.decode() + ".gz", "wb", compresslevel=1) as file:
            file.write(bytes(LARGE))
        for task in TASKS:
            print(task.__name__, run_task.run(task.__name__, task))
    assert before == throwing.throws_by()
    print("exceptions by", os.path.basename(before.decode()))
    used = sys.argv[2:] or ["a", "b"]
    print("at the same address:", plugin("a") == plugin("b"))


if __name__ == "__main__":
    main()
