"""Call functions of a traced library, each inside a task of its name, and print what they say.

traced.py LIBRARY INPUT FUNCTION,FUNCTION...

Standard output holds what a program can notice, and must not change under the library; what the
library must have counted goes to INPUT.expected as "function counter value" lines. Functions
write into INPUT.scratch, which is empty at first and gone at the end."""

import ctypes
import os
import shutil
import sys

from run_task import run

COUNTERS = ("read_bytes", "read_calls", "write_bytes", "write_calls", "open_calls", "pipe_bytes",
            "recv_bytes", "recv_calls", "send_bytes", "send_calls", "socket_read_bytes",
            "other_read_bytes", "stdio_read_bytes", "copied_bytes", "alloc_bytes", "alloc_calls",
            "freed_bytes", "mapped_bytes")
WAITS = ("io_wait_ns", "gil_wait_ns", "lock_wait_ns", "sleep_ns", "poll_wait_ns")
ROOM = 1 << 16


class Trace(ctypes.Structure):
    """struct trace of tests/trace/trace.h"""

    _fields_ = [("file", ctypes.c_char_p), ("scratch", ctypes.c_char_p),
                ("text", ctypes.c_void_p), ("room", ctypes.c_long), ("used", ctypes.c_long)]
    _fields_ += [(name, ctypes.c_long) for name in COUNTERS + WAITS]


def call(library, name, trace):
    function = getattr(library, name)
    function.restype = None
    function.argtypes = [ctypes.POINTER(Trace)]
    pointer = ctypes.byref(trace)
    run(name, lambda: function(pointer))


def main(path, source, names):
    library = ctypes.CDLL(path)
    scratch = source + ".scratch"
    os.mkdir(scratch)
    text = ctypes.create_string_buffer(ROOM)
    expected = []
    for name in names.split(","):
        trace = Trace(source.encode(), scratch.encode(), ctypes.addressof(text), ROOM,
                      **dict.fromkeys(WAITS, -1))
        call(library, name, trace)
        print(f"== {name}\n{text.raw[:trace.used].decode()}", end="", flush=True)
        expected += [f"{name} {counter} {getattr(trace, counter)}\n"
                     for counter in COUNTERS + WAITS]
    with open(source + ".expected", "w") as file:
        file.writelines(expected)
    shutil.rmtree(scratch)


main(*sys.argv[1:])
