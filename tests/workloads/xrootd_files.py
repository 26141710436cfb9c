"""Files to be served by XRootD, and tasks that read them through its client in every way that uproot
has. As a program: one task of each, without a cluster, and a server that dies.

    xrootd_files.py DIRECTORY            writes the files
    xrootd_files.py URL PID              reads from URL, and again when it has killed the server
"""

import os
import re
import signal
import sys
from pathlib import Path

import numpy as np
import uproot
from uproot.source.fsspec import FSSpecSource
from uproot.source.xrootd import MultithreadedXRootDSource, XRootDSource

FILES, BASKETS, EVENTS = 2, 12, 5000
BRANCHES = [f"b{i}" for i in range(6)]
READ = ["b0", "b3"]  # so far apart that no reader takes what lies between
SOURCES = {"vector": XRootDSource, "threads": MultithreadedXRootDSource, "fsspec": FSSpecSource}


def write(directory):
    numbers = np.random.default_rng(1)
    for index in range(FILES):
        with uproot.recreate(Path(directory, f"{index}.root")) as file:
            file.mktree("Events", {name: "float64" for name in BRANCHES})
            for _ in range(BASKETS):
                file["Events"].extend({name: numbers.normal(size=EVENTS) for name in BRANCHES})


def read(url, source, baskets):
    """The first BASKETS of two branches. Returns what uproot asked for, in bytes."""
    with uproot.open(url, handler=SOURCES[source]) as file:
        arrays = file["Events"].arrays(READ, entry_stop=baskets * EVENTS, library="np")
        assert len(arrays["b3"]) == baskets * EVENTS
        return file.file.source.num_requested_bytes


def account(path, baskets):
    """Of each branch that read() reads: baskets, compressed and uncompressed bytes."""
    with uproot.open(path) as file:
        tree = file["Events"]
        return {
            name: [
                baskets,
                sum(tree[name].basket_compressed_bytes(i) for i in range(baskets)),
                sum(tree[name].basket_uncompressed_bytes(i) for i in range(baskets)),
            ]
            for name in READ
        }


def vector_read(url, splits):
    """Through the client itself: by methods that wait and by ones that do not."""
    import threading

    from XRootD import client

    file, done, answers = client.File(), threading.Event(), []

    def answered(*answer):
        answers.append(answer)
        done.set()

    status, _ = file.open(url)
    assert status.ok, status.message
    _, data = file.read(100, 1000)
    _, vector = file.vector_read(splits)
    file.read(100, 2000, callback=answered)
    done.wait()
    past_end = file.read(1 << 40, 10)[0].ok
    refused, _ = file.vector_read([(1 << 40, 10)])
    file.close()
    return len(data), vector.size, len(answers[0][1]), past_end, refused.ok


def said(error, url):
    """What every run says of a server that died. It depends on the moment whether the client meets the reset, or
    already the refusal to connect again and so refuses the request itself, or has already closed the file."""
    text = re.sub("0x[0-9a-f]+", "0x", str(error).replace(url, "URL"))
    text = re.sub("Failed to submit <bound method File.vector_read .*> request",
                  "File did not vector_read properly", text)
    text = text.replace("ValueError('I/O operation on closed file')",
                        "OSError('File did not vector_read properly: [FATAL] no connection')")
    return re.sub("Socket error: connection reset by peer|Connection error", "no connection", text)


def main():
    if len(sys.argv) == 2:
        return write(sys.argv[1])
    from run_task import Failed, run

    url, server = sys.argv[1:]
    for index, source in enumerate(SOURCES):
        print(source, run(f"{source}-1", lambda: read(f"{url}/0.root", source, 3 + index)))
    print(run("client", lambda: vector_read(f"{url}/1.root", [(10, 20), (5000, 3000)])))
    print(run("secret", lambda: vector_read(f"{url.replace('://', '://someone@')}/1.root?a=hidden",
                                            [(0, 8)])))
    hidden = f"{url.replace('://', '://someone@')}/0.root?a=hidden"
    print(run("hidden", lambda: read(hidden, "vector", 2)))
    trees = {source: uproot.open(f"{url}/1.root", handler=handler)["Events"]
             for source, handler in SOURCES.items()}
    os.kill(int(server), signal.SIGKILL)
    for source, tree in trees.items():
        try:
            run(f"dead-{source}", lambda: tree.arrays(READ, library="np"))
        except Failed as error:
            print(said(error, url))
    sys.stdout.flush()
    os._exit(0)  # fsspec_xrootd complains of files that it can no longer close


if __name__ == "__main__":
    main()
