"""Calls of a Runner that is like Coffea's in name, file and variables only: what the library needs to
tell when calls begin and end. Written: how many seconds each took.
"""

import os
import sys
import time
import types

SOURCE = """
import copy
import time


class Executor:
    def copy(self):
        return copy.copy(self)

    def __call__(self, work):
        for _ in range(5):
            time.time()
            time.sleep(0.002)
        return work()


class Runner:
    def __init__(self):
        self.executor = Executor()

    def run(self, work):
        return self._run_impl(work)

    def _run_impl(self, work):
        executor = self.executor.copy()
        return executor(work)

    def __call__(self, work):
        return self.run(work)
"""


def import_runner():
    for name in ("coffea", "coffea.processor", "coffea.processor.executor"):
        module = sys.modules[name] = types.ModuleType(name)
    exec(compile(SOURCE, "/somewhere/coffea/processor/executor.py", "exec"), module.__dict__)
    return module.Runner()


def child_reads_the_clock():
    pid = os.fork()
    if pid == 0:
        for _ in range(5):
            time.time()
            time.sleep(0.01)
        os._exit(0)
    os.waitpid(pid, 0)


def fails():
    raise ValueError("on purpose")


def main():
    time.time()  # the library looks for Coffea
    runner = import_runner()
    time.sleep(0.06)
    time.time()
    runner(time.time)
    runner(time.time)  # no one reads the clock in between
    runner.run(time.time)
    time.time()
    runner(child_reads_the_clock)
    try:
        runner(fails)
    except ValueError:
        pass
    runner(lambda: runner(time.time))  # one within another is the outer one's
    print("six calls")


main()
