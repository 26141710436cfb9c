"""Daemon threads that do nothing but read their stacks, without the GIL, while it ends.

    stacks_end.py libstacks.so DIRECTORY
"""

import atexit  # the library asks for it, and imports nothing
import ctypes
import os
import sys
import threading
import time

calling = ctypes.PyDLL(os.path.abspath(sys.argv[1]))
calling.stacks_begin.restype = ctypes.c_char_p
assert calling.stacks_begin(sys.argv[2].encode()) is None, "no stacks"
without_lock = ctypes.CDLL(os.path.abspath(sys.argv[1]))


def down(depth):
    return without_lock.stacks_storm() if depth == 0 else down(depth - 1)


for number in range(4):
    threading.Thread(target=down, args=(30 * number,), daemon=True).start()
time.sleep(0.05)
assert calling.stacks_here(0)
print("ends")
