"""Runs below budget.py, under callgrind and with libbudget.so preloaded: program.py FILE."""

import atexit  # noqa: F401: the library registers a function there
import ctypes
import sys
import time
import types


def as_worker():
    """The library looks closely at an interpreter only if Dask is there."""
    sys.modules["distributed"] = types.ModuleType("distributed")
    sys.modules["distributed.core"] = types.ModuleType("core")
    for _ in range(100):
        time.thread_time()
        time.time()


def at_depth(depth, function):
    return function() if depth <= 0 else at_depth(depth - 1, function)


lib = ctypes.PyDLL(None)  # keeps the GIL
as_worker()
if lib.budget_open(sys.argv[1].encode()):
    sys.exit("no file or no connection")
if lib.budget_begin():
    sys.exit("no log, or stacks are off in it")
at_depth(20, lib.budget_count)
lib.budget_end()
lib.budget_count_tasks()
lib.budget_compiler.restype = ctypes.c_char_p
print(lib.budget_compiler().decode())
