"""A task forks while another thread is inside dl_iterate_phdr(), and so holds the loader's lock: in the child no
thread ever gives it back. The child reads, connects and ends all the same."""

import ctypes
import os
import signal
import socket
import sys
import threading
import time

from run_task import run

path = sys.argv[1]
inside, over = threading.Event(), threading.Event()
server = socket.create_server(("127.0.0.1", 0))


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
def stay(*_):
    inside.set()
    over.wait()
    return 1


def read(count):
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, count)
    os.close(fd)
    return len(data)


def child():
    assert read(5000) == 5000
    with socket.socket() as client:
        client.connect(server.getsockname())
    assert run("in child", lambda: read(400)) == 400


def fork():
    """The status of the child; it is killed if it hangs."""
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    for _ in range(600):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "it hangs"


print(run("before", lambda: read(100)))
holder = threading.Thread(target=ctypes.CDLL(None).dl_iterate_phdr, args=(stay, None))
holder.start()
inside.wait()
print(run("forks", fork))
over.set()
holder.join()
