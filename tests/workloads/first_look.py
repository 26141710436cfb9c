"""A chunk that reads, in a process where the library first looks at the interpreter at an unlucky moment.

    first_look.py FILE HOW
        finalizer: in a finalizer, while its caller's frame is being set up (CPython 3.11)
        forked: the same, two times in a process and once in its child, which goes on
        copies: before other packages define functions of the same names as those of the standard library (CPython 3.14)
        imports: before the modules of the standard library are there whose functions are noticed
        odd: in a standard library that lacks one of these functions
        profiled: in a function that sys.setprofile() has called, whose caller has not begun (CPython 3.9 and 3.10).
            Later looks come from there, too
        sandbox: where the kernel copies no memory of the process
"""

import atexit  # noqa: F401  (as all programs with Dask or Coffea do)
import ctypes
import errno
import gc
import os
import struct
import sys
import time

from coffea_like import WorkItem, import_runner


class Finalized:
    def __del__(self):
        time.time()
        for _ in range(3):
            time.thread_time()
        if sys.argv[2] == "forked":
            look_before_and_after_fork()


def look_before_and_after_fork():
    time.sleep(0.06)
    time.time()
    if os.fork():
        os.wait()
        os._exit(0)
    time.sleep(0.06)
    time.time()


def make_cell():
    """The first thing that this function does is to make a cell for its variable."""
    variable = 1
    return lambda: variable


def read(count):
    with open(sys.argv[1], "rb", buffering=0) as file:
        return len(file.read(count))


def look_in_finalizer():
    gc.disable()
    garbage = Finalized()
    garbage.itself = garbage
    del garbage
    gc.set_threshold(1)
    gc.enable()
    make_cell()
    gc.set_threshold(700)


def look_in_profiler():
    sys.setprofile(lambda frame, event, argument: time.time() if event == "call" else None)
    make_cell()


def forbid_copies_of_memory():
    """By a seccomp filter: process_vm_readv() and pread64(), with which /proc/self/mem is read, fail."""
    PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
    LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06
    PREAD, PROCESS_VM_READV, ALLOW, FAIL = 17, 310, 0x7FFF0000, 0x00050000 | errno.EPERM
    code = ((LOAD, 0, 0, 0), (EQUALS, 2, 0, PREAD), (EQUALS, 1, 0, PROCESS_VM_READV), (RETURN, 0, 0, ALLOW),
            (RETURN, 0, 0, FAIL))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(text)))
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    assert prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert prctl(PR_SET_SECCOMP, FILTER, ctypes.addressof(program), 0, 0) == 0


def define_copies():
    """Returns which of them the library has sys.monitoring notice."""
    monitoring, noticed = sys.monitoring, []
    for path, names in (("queue", ("Queue", "put")), ("threading", ("Condition", "wait"))):
        source = "class {}:\n    def {}(self): pass\n".format(*names)
        found = {"__name__": "package." + path}
        exec(compile(source, "/somewhere/package/%s.py" % path, "exec"), found)
        code = getattr(found[names[0]], names[1]).__code__
        noticed += [code for tool in range(6) if monitoring.get_tool(tool) and monitoring.get_local_events(tool, code)]
    return noticed


def remove_function():
    import queue

    del queue.Queue.put


def main():
    if sys.argv[2] == "sandbox":
        forbid_copies_of_memory()
    if sys.argv[2] == "odd":
        remove_function()
    call = import_runner()._work_function
    time.sleep(0.06)
    looks = {"finalizer": look_in_finalizer, "forked": look_in_finalizer, "profiled": look_in_profiler}
    if sys.argv[2] in looks:
        looks[sys.argv[2]]()
    for _ in range(1 if sys.argv[2] in looks else 3):
        time.sleep(0.06)
        time.time()
    if sys.argv[2] == "copies":
        print(define_copies())
    from concurrent.futures import ThreadPoolExecutor

    item = WorkItem("late")
    with ThreadPoolExecutor(1) as pool:
        time.sleep(0.06)
        print(call(item, lambda: pool.submit(read, 1000).result())[0])
    if sys.argv[2] == "odd":
        print([sys.monitoring.get_tool(number) for number in range(6)])


main()
