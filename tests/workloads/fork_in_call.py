"""A call of a function that is like Coffea's _work_function forks. What the children do is no new call, unless they
call that function themselves.
If one of theirs raises an exception, it has failed: the function that tries a call again is the parent's.

    fork_in_call.py FILE
"""

import concurrent.futures.thread  # noqa: F401
import os
import sys
import threading
import time

from coffea_like import WorkItem, import_runner


def read(count):
    threading.Lock()
    time.time()
    with open(sys.argv[1], "rb", buffering=0) as file:
        return len(file.read(count))


def fail(call):
    try:
        call(WorkItem("failed"), lambda: 1 // 0)
    except ZeroDivisionError:
        time.sleep(0.06)
        time.time()


def in_child(work):
    pid = os.fork()
    if pid == 0:
        for _ in range(3):
            work()
            time.sleep(0.06)  # more than any pause between two looks at the stack
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    runner = import_runner()
    call = runner._work_function
    time.sleep(0.06)
    time.time()  # the library looks for Coffea
    print(call(WorkItem("reads"), lambda: in_child(lambda: read(1000)))[0])
    print(call(WorkItem("calls"), lambda: in_child(lambda: call(WorkItem("of child"), lambda: read(10))))[0])
    print(runner.automatic_retries(1, False, call, WorkItem("tried"), lambda: in_child(lambda: fail(call)))[0])


main()
