"""Functions that are like Coffea's in name, file and variables only, for processes that must start at once."""

import sys
import types

SOURCE = """
import time


class Runner:
    def run(self):
        pass

    @staticmethod
    def _work_function(item, process):
        tic = time.time()
        out = process()
        toc = time.time()
        return out, toc - tic

    @staticmethod
    def automatic_retries(retries, skipbadfiles, function, *arguments):
        retry_count = 0
        while retry_count <= retries:
            try:
                return function(*arguments)
            except OSError:
                retry_count += 1
"""


class WorkItem:
    """The library knows Coffea's by its name."""

    filename, treename, entrystart, entrystop = "/data/x.root", "Events", 0, 100

    def __init__(self, dataset):
        self.dataset = dataset


def import_runner():
    for name in ("coffea", "coffea.processor", "coffea.processor.executor"):
        module = sys.modules[name] = types.ModuleType(name)
    exec(compile(SOURCE, "/somewhere/coffea/processor/executor.py", "exec"), module.__dict__)
    return module.Runner
