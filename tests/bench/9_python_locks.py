"""What calls of Python's own locks cost more with the library, in nanoseconds: since CPython 3.14
they are no semaphores, and the library sees calls by sys.monitoring, from a task's first helper
thread on (docs/contributing/attribution.md).

    9_python_locks.py [PYTHON]         default: build/venv-3.14

Each run is a fresh process, with and without the library by turns. It repeats the same loops inside
a task, after the task has started a thread. The fastest of its rounds counts; shown is the difference
of the minima over all processes.
"""

import collections
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAIRS, ROUNDS, CALLS = int(os.environ.get("BENCH_PAIRS", "7")), 15, 20_000


def with_lock():
    lock = threading.Lock()
    for _ in range(CALLS):
        with lock:
            pass


def with_rlock():
    lock = threading.RLock()
    for _ in range(CALLS):
        with lock:
            pass


def acquire_release():
    lock = threading.Lock()
    for _ in range(CALLS):
        lock.acquire()
        lock.release()


def append_popleft():
    items = collections.deque()
    for _ in range(CALLS):
        items.append(1)
        items.popleft()


def put_get():
    items = queue.Queue()
    for _ in range(CALLS // 10):
        items.put(1)
        items.get()


def future():
    for _ in range(CALLS // 10):
        done = Future()
        done.set_result(1)
        done.result()


def function():
    pass


def plain_call():
    for _ in range(CALLS):
        function()


LOOPS = {"with lock": (with_lock, CALLS), "with rlock": (with_rlock, CALLS),
         "lock.acquire(), release()": (acquire_release, CALLS),
         "deque.append(), popleft()": (append_popleft, CALLS),
         "Queue.put(), get()": (put_get, CALLS // 10),
         "Future: made, set, read": (future, CALLS // 10), "a Python function": (plain_call, CALLS)}


def nanoseconds(loop, calls):
    begun = time.perf_counter_ns()
    loop()
    return (time.perf_counter_ns() - begun) / calls


def task():
    helper = threading.Thread(target=with_lock)
    helper.start()
    helper.join()
    return {name: min(nanoseconds(*loop) for _ in range(ROUNDS)) for name, loop in LOOPS.items()}


def run(python, preload):
    with tempfile.TemporaryDirectory() as directory:
        more = {"LD_PRELOAD": str(TOP / "build" / "libcupping.so"), "CUPPING_DIR": directory}
        return json.loads(subprocess.check_output(
            [python, __file__, "--task"], env={**os.environ, **(more if preload else {})}))


def main():
    python = sys.argv[1] if len(sys.argv) > 1 else TOP / "build" / "venv-3.14" / "bin" / "python"
    if not Path(python).exists():
        print(f"skipped: no {python}")
        return
    runs = [(run(python, False), run(python, True)) for _ in range(PAIRS)]
    print(f"{'':28s}{'without':>9s}{'with':>9s}{'more':>9s}  ns a call")
    for name in LOOPS:
        without, with_it = (min(pair[i][name] for pair in runs) for i in (0, 1))
        print(f"{name:28s}{without:9.0f}{with_it:9.0f}{with_it - without:+9.0f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--task"]:
        sys.path.insert(0, str(TOP / "tests" / "workloads"))
        import run_task

        print(json.dumps(run_task.run("locks", task)))
    else:
        main()
