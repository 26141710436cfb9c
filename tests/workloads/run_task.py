"""Run functions as Dask tasks without a cluster: distributed's own task runner is called as a
worker calls it, so that clocks, frames and contexts are the real ones. Half a second instead of
a cluster's five.

    run_task.run("key", function)      result of function, run as task "key"; its error is raised

As a program, everything runs inside one task:

    run_task.py -m test -v test_io     a module, as python -m would
    run_task.py -c 'print(1)'          a text
    run_task.py program.py argument    a program
"""

import gc
import os
import runpy
import sys
import threading
from types import SimpleNamespace

gc.disable()

from distributed import worker as dask_worker  # noqa: E402
from distributed.worker_state_machine import TaskState  # noqa: E402

# What was imported stays: an interpreter's end, in each child too, is quicker by a fifth of a second. In a
# soak, it looks at all objects as usual.
if not os.environ.keys() & {"SOAK", "CUP_SOAK"}:
    gc.freeze()
gc.enable()


class StubWorker:
    """What the library looks at in a Worker, and what distributed itself asks of it."""

    _address = "stub://cupping"
    name = "stub"
    local_directory = "/nonexistent/cupping-stub"
    memory_manager = SimpleNamespace(memory_limit=None)

    def __init__(self):
        self.state = SimpleNamespace(tasks={}, nthreads=1)
        self.execution_state = {"worker": self}


stub = StubWorker()
active_threads = {}
active_threads_lock = threading.Lock()


class Failed(Exception):
    """A task that ended with an error; its text is Dask's."""


def run(key, function):
    state = (stub.execution_state, key, active_threads, active_threads_lock, 0)
    stub.state.tasks[key] = TaskState(key)
    if hasattr(dask_worker, "_run_task"):
        from dask._task_spec import Task

        message = dask_worker._run_task(Task(key, function), {}, *state)
    else:
        message = dask_worker.apply_function(function, (), {}, *state)
    del stub.state.tasks[key]
    if message["op"] != "task-finished":
        raise Failed(message["exception_text"])
    return message["result"]


def run_main(arguments):
    """Like the interpreter's own command line, inside the task."""
    if arguments[:1] == ["-m"]:
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[:1] == ["-c"]:
        exec(arguments[1], {"__name__": "__main__"})
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    # Dask would not report an exit in a task as its end, so the task ends by hand.
    status = 0

    def body():
        global status
        try:
            run_main(sys.argv[1:])
        except SystemExit as end:
            status = end.code

    run("run_task", body)
    sys.exit(status)
