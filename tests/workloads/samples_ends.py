"""A worker's fine metrics change for the last time just before the process ends.

    samples_ends.py HOW      return, exit, os_exit, fork, closed, emptied, raises or odd

No cluster: a server that is taken for a worker, whose tick is called once.
"""

import os
import sys

from distributed.core import Server

KEY = ("execute", "5f-1", "nap", "thread-cpu", "seconds")


class Odd:
    def __float__(self):
        raise RuntimeError("no number")


class Anything:
    def __str__(self):
        raise RuntimeError("no text")


def work(server):
    server.digests_total[KEY] = 0.5
    server._measure_tick()
    server.digests_total[KEY] = 1.5
    server.digests_total[("get-data", "network", "seconds")] = 7


async def main(how) -> None:
    server = Server({})
    server._address = "tcp://10.0.0.1:4000"
    server.execution_state = {"worker": server}  # what makes it a worker
    if how == "odd":
        server.digests_total.update({
            ("execute", None, Anything(), "x", "count"): 2, ("a", "b", 3.5, "c"): Odd(), 17: True,
            ("execute", "5f-1", "umlaut-ü", "\udc80", "bytes"): 10**30, (): 1, ("one",): -1})
    work(server)
    if how == "os_exit":
        os._exit(0)
    if how == "fork":
        if os.fork() == 0:
            server.digests_total[KEY] = 99.0
            sys.exit(0)
        os.wait()
    if how == "closed":  # and the worker object is gone
        server.digests_total = None
    if how == "emptied":
        total = server.digests_total
        total.clear()
        total[KEY] = 1.5
    if how == "exit":
        sys.exit(0)
    if how == "raises":
        raise SystemExit(0)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main(sys.argv[1]))
    print("ended")
