"""Ends processes in many ways, each inside a task that has read 1000 bytes. The key of the task is the way.

ends.py FILE WAY             this very process
ends.py FILE WAY WAY...      a forked child each; prints how they ended"""

import ctypes
import os
import signal
import sys
import threading
import time

import run_task

path, *ways = sys.argv[1:]
libc = ctypes.PyDLL(None)


def end(way):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1000)
    {
        "return": lambda: None,
        "sys.exit": lambda: sys.exit(3),
        "os._exit": lambda: os._exit(4),
        "exit": lambda: libc.exit(5),
        "_exit": lambda: libc._exit(6),
        "_Exit": lambda: libc._Exit(7),
        "quick_exit": lambda: libc.quick_exit(8),
        "abort": lambda: libc.abort(),
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "term": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "segv": lambda: ctypes.string_at(8),
        "raise": lambda: 1 / 0,
        "exec": lambda: os.execv("/bin/cat", ["cat", path]),
        "exec with threads": exec_with_threads,
        "exit with threads": exit_with_threads,
        "pthread_exit": exit_main_thread,
    }[way]()
    return 0


def start_readers():
    """Threads that read and allocate until the process is gone."""

    def forever():
        while True:
            with open(path, "rb") as file:
                bytearray(len(file.read()))

    for _ in range(4):
        threading.Thread(target=forever, daemon=True).start()


def exec_with_threads():
    start_readers()
    os.execv("/bin/cat", ["cat", path])


def exit_with_threads():
    start_readers()
    libc.exit(9)


def exit_main_thread():
    """The process ends with the last of its other threads."""
    threading.Thread(target=time.sleep, args=(0.3,)).start()
    ctypes.CDLL(None).pthread_exit(None)


def end_this_process(way):
    try:
        run_task.run(way, lambda: end(way))
    except run_task.Failed:
        print("the task failed")


def end_a_child(way):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        end_this_process(way)
        sys.exit(0)
    print(way, "gives", os.waitpid(pid, 0)[1])


if len(ways) == 1:
    end_this_process(ways[0])
else:
    for way in ways:
        end_a_child(way)
