"""Chunks of a work function that is like Coffea's in name, file and variables only, with what Coffea
and uproot of several versions leave there, and with what no version does.

    chunk_reports.py MANY        the last chunk makes MANY different columns
"""

import sys
import time
import types
from typing import NamedTuple

SOURCE = """
import time


def _work_function(item, file, materialized):
    tic = time.time()
    toc = time.time()
    return toc - tic
"""


class Accessed(NamedTuple):  # Coffea 2026
    branch: str
    buffer_key: str


class Thing:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class WorkItem(Thing):
    """The library knows Coffea's by its name, and by the module that has it."""


class Getters:
    """A file that keeps its parts elsewhere."""

    def __init__(self, count):
        self.count = count

    file = property(lambda self: self)
    source = property(lambda self: self)
    _num_requested_bytes = property(lambda self: self.count)


class Raises:
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}, and not a word of it on stderr")


def import_work_function():
    for name in ("coffea", "coffea.processor", "coffea.processor.executor"):
        module = sys.modules[name] = types.ModuleType(name)
    module.WorkItem = WorkItem
    exec(compile(SOURCE, "/somewhere/coffea/processor/executor.py", "exec"), module.__dict__)
    return module._work_function


def directory(count):
    return Thing(_file=Thing(_source=Thing(_num_requested_bytes=count)))


def access(branch, use, chunk):
    return Accessed(branch, f"uuid-{chunk}/%2FEvents%3B1/{chunk}-{chunk + 100}/{use}/rest")


def main():
    time.time()  # the library looks for Coffea
    work = import_work_function()
    time.sleep(0.06)
    many = [access(f"b{i}", "data", 1) for i in range(int(sys.argv[1]))]
    pt, eta = ("Muon_pt", "data"), ("Jet_eta", "offsets%2Cdata")
    chunks = [
        ("first", directory(100), [access(*pt, 0), access(*eta, 0), access(*pt, 0)]),
        ("other_order", directory(200), [access(*eta, 1), access(*pt, 1)]),
        ("names", directory(300), ["nMuon", "Muon_pt", "nMuon"]),
        ("getters", Getters(400), []),
        ("parquet", Thing(_handle=1), [access(*pt, 2)]),
        ("numbers", directory(500), [1, 2.5, None]),
        ("short_key", directory(600), [Accessed("Muon_pt", "no/slashes")]),
        ("raises", Raises(), Raises()),
        ("raises_within", directory(700), [Raises()]),
        ("none", None, None),
        ("surrogates", directory(800), [access("\ud800", "data", 3)]),
        ("many", directory(900), many),
    ]
    for number, (dataset, file, materialized) in enumerate(chunks):
        item = WorkItem(dataset=dataset, filename="/data/x.root", treename="Events",
                        entrystart=number * 100, entrystop=number * 100 + 100)
        work(item, file, materialized)
    print(len(chunks), "chunks")


main()
