"""The loader's list of libraries is walked by Python callbacks, as threadpoolctl does it: with the list's lock held
they wait for the GIL, which others hold that read their stacks.

    native_locks.py        (with CUPPING_STACKS=stress); says how often each was done
"""

import ctypes
import threading
import time

import run_task

Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
WALKS, THREADS = 40, 200


def walk_libraries():
    """With at least two libraries a walk, and the GIL given up at each of them."""
    seen = []
    walk = ctypes.CDLL(None).dl_iterate_phdr

    def library(info, size, user):
        seen.append(size)
        time.sleep(0)
        return 0

    for _ in range(WALKS):
        assert walk(Callback(library), None) == 0
    return len(seen) >= 2 * WALKS


def allocate():
    """Each thread has everything to learn of where it is anew."""
    done = []

    def body(number):
        done.append(sorted(str(i) * number for i in range(20)))

    for number in range(THREADS):
        thread = threading.Thread(target=body, args=(number % 7,))
        thread.start()
        thread.join()
    return len(done)


def task():
    walked = []
    walker = threading.Thread(target=lambda: walked.append(walk_libraries()))
    walker.start()
    done = allocate()
    walker.join()
    return walked, done


print(run_task.run("locks", task))
