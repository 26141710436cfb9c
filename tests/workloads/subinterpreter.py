"""A subinterpreter inside a task reads the clocks and a file; tasks before and after it are
seen, and its own bytes find no wrong task."""

import os
import sys
import threading

from run_task import run

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

path = sys.argv[1]

INSIDE = """
import os, time
for _ in range(200):
    time.time()
    time.thread_time()
fd = os.open(%r, os.O_RDONLY)
data = os.read(fd, 300)
os.close(fd)
assert len(data) == 300
""" % path


def read(count):
    with open(path, "rb", buffering=0) as file:
        return len(file.read(count))


def in_subinterpreter():
    other = interpreters.create()
    interpreters.run_string(other, INSIDE)
    interpreters.destroy(other)


def body():
    in_subinterpreter()
    return read(1000)


def on_a_thread():
    thread = threading.Thread(target=in_subinterpreter)
    thread.start()
    thread.join()
    return read(1000)


print(run("before", lambda: read(100)))
print(run("subinterpreter", body))
print(run("threaded", on_a_thread))
print(run("after", lambda: read(10)))
