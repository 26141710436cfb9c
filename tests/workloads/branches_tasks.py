"""Tasks that read baskets in every way there is. Workers import this module.

A read is {"how": name of a function below, "tree", "branches", "start", "stop"} and what that function
wants besides.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import uproot


def source(name):
    """None: what uproot chooses."""
    where = uproot.source.http if name and "HTTP" in name else uproot.source.file
    return {"handler": getattr(where, name)} if name else {}


class File:
    """Of one task; uproot opens it when the first read wants it."""

    def __init__(self, path, options):
        self.path, self.options, self.opened = path, options, None

    def tree(self, name):
        if self.opened is None:
            self.opened = uproot.open(self.given(), array_cache=None, **source(self.options.get("source")),
                                      **self.options.get("storage", {}))
        return self.opened[name]

    def given(self):
        as_what = self.options.get("given_as")
        if as_what == "relative":
            return os.path.relpath(self.path)
        if as_what == "url":
            return "file://" + self.path
        if as_what == "object":
            return open(self.path, "rb")
        return self.path

    def close(self):
        if self.opened is not None:
            self.opened.close()


# ---- through uproot ----------------------------------------------------------------------------


def limits(read):
    return {"entry_start": read["start"], "entry_stop": read["stop"]}


def arrays(file, read):
    """All branches in one request."""
    got = file.tree(read["tree"]).arrays(read["branches"], library="np", **limits(read))
    return sum(map(len, got.values()))


def array(file, read):
    """One branch after the other."""
    tree = file.tree(read["tree"])
    return sum(len(tree[name].array(library="np", **limits(read))) for name in read["branches"])


def awkward(file, read):
    return len(file.tree(read["tree"]).arrays(read["branches"], **limits(read)))


def in_threads(file, read):
    """Baskets are decompressed and interpreted in a pool of the user's."""
    with ThreadPoolExecutor(2) as pool:
        got = file.tree(read["tree"]).arrays(read["branches"], library="np", decompression_executor=pool,
                                             interpretation_executor=pool, **limits(read))
    return len(got[read["branches"][0]])


def iterate(file, read):
    """Steps that cut baskets."""
    steps = file.tree(read["tree"]).iterate(read["branches"], step_size=read["step"], library="np",
                                            **limits(read))
    return sum(len(step[read["branches"][0]]) for step in steps)


def basket(file, read):
    """One basket after the other, each in a request of its own."""
    tree = file.tree(read["tree"])
    return sum(tree[name].basket(number).num_entries for name, number, _, _ in read["baskets"])


def fields(file, read):
    """Of an RNTuple."""
    return len(file.tree(read["tree"]).arrays(read["branches"], **limits(read)))


# ---- by other means ----------------------------------------------------------------------------


def plain(file, read):
    """Python's own reader, with its buffer."""
    with open(file.path, "rb") as own:
        return sum(len(own.read(size)) for _, _, at, size in read["baskets"] if own.seek(at) >= 0)


def small(file, read):
    """The same, some hundred bytes at a time."""
    total = 0
    with open(file.path, "rb") as own:
        for _, _, at, size in read["baskets"]:
            own.seek(at)
            for done in range(0, size, 700):
                total += len(own.read(min(700, size - done)))
    return total


def raw(file, read):
    fd = os.open(file.path, os.O_RDONLY)
    try:
        return sum(len(os.pread(fd, size, at)) for _, _, at, size in read["baskets"])
    finally:
        os.close(fd)


def fromfile(file, read):
    return sum(len(np.fromfile(file.path, np.uint8, size, offset=at)) for _, _, at, size in read["baskets"])


# ---- a task ------------------------------------------------------------------------------------


def run(path, reads, options):
    file = File(path, options)
    try:
        return sum(int(globals()[read["how"]](file, read)) for read in reads)
    finally:
        file.close()
