"""A forked child in which others take the thread-specific key that the interpreter had: fork_key.py FILE

CPython deletes its key in a forked child and makes a new one, which gets the lowest free number: that of the key which
tests/trace/libkey.c, in LD_PRELOAD, made before the interpreter, and has given up."""

import ctypes
import os
import sys

from run_task import run

libc = ctypes.CDLL(None)
MOST = 60  # more than are free below the interpreter's


def read(size):
    with open(sys.argv[1], "rb", buffering=0) as file:
        assert len(file.read(size)) == size


def take_keys():
    key = ctypes.c_uint()
    for number in range(MOST):
        assert libc.pthread_key_create(ctypes.byref(key), None) == 0
        libc.pthread_setspecific(key, ctypes.c_void_p(0x100000 + 16 * number))


run("parent", lambda: read(1000))
libc.give_key_up()
child = os.fork()
if child == 0:
    take_keys()
    run("child", lambda: read(200))
    run("child again", lambda: read(30))
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
