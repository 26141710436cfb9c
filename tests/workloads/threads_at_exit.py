"""Children that finalise their interpreter while daemon threads read, allocate and read the
clocks, inside and outside of a task: threads_at_exit.py FILE TIMES"""

import asyncio
import contextvars
import os
import sys
import threading
import time

from run_task import run

path, times = sys.argv[1], int(sys.argv[2])


def forever(*_):
    while True:
        with open(path, "rb") as file:
            bytearray(len(file.read(70000)))
        time.time()
        time.thread_time()


def task_forever(_):
    while True:
        run("daemon", lambda: open(path, "rb").read())


def start_threads():
    for target in (forever, contextvars.copy_context().run, task_forever):
        threading.Thread(target=target, args=(forever,), daemon=True).start()
    return asyncio.run(asyncio.to_thread(lambda: len(open(path, "rb").read())))


def one():
    run("starter", start_threads)
    time.sleep(0.01)


codes = []
for _ in range(times):
    pid = os.fork()
    if pid == 0:
        one()
        sys.exit(2)  # through Py_Finalize
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(codes)
