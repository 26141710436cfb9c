"""Tasks on a real worker that wait for a slow XRootD server, each with another kind of request.

    xrootd_waits.py ADDRESS SCHEME://HOST:PORT/    two tasks of each kind, named KIND-NUMBER
    xrootd_waits.py LOG                            prints JSON: for how many seconds a request of each
                                                   task was at the server, by the server's own log

Each task has a connection of its own, because it has a user of its own: so the log says whose a request
is, and none waits behind another task's."""

import json
import re
import sys
from datetime import datetime

READS, BYTES, KINDS = 6, 400_000, ("sync", "async", "vector")


def read_sync(file):
    for i in range(READS):
        status, data = file.read(i * BYTES, BYTES)
        assert status.ok and len(data) == BYTES


def read_async(file):
    import threading

    done = threading.Semaphore(0)
    for i in range(READS):
        assert file.read(i * BYTES, BYTES, callback=lambda *_: done.release()).ok
    for _ in range(READS):
        done.acquire()


def read_vector(file):
    for half in range(2):
        assert file.vector_read([((half * 3 + i) * BYTES, BYTES) for i in range(3)])[0].ok


def read(kind, url):
    from XRootD.client import File

    file = File()
    assert file.open(url)[0].ok
    {"sync": read_sync, "async": read_async, "vector": read_vector}[kind](file)
    file.close()


def run(address, url):
    from distributed import Client

    client = Client(address)
    client.wait_for_workers(1)
    tasks = []
    for number in range(2):
        for kind in KINDS:
            own = url.replace("://", f"://{kind}{number}@") + "/0.root"
            tasks.append(client.submit(read, kind, own, key=f"{kind}-{number}", pure=False))
    client.gather(tasks)
    client.close()


def spans_of(log):
    """Of each connection's requests, from their arrival to their answer; the user as the log has it."""
    arrived = {}
    line_form = re.compile(r"(\d{6} [\d:.]+) \d+ ((\w+)\.\S+) Xrootd_\w+: (\w+) (req=|sending)")
    with open(log, errors="replace") as file:
        for line in filter(None, map(line_form.match, file)):
            at = datetime.strptime(line[1], "%y%m%d %H:%M:%S.%f").timestamp()
            if line[5] == "req=":
                arrived[line[2], line[4]] = at
            elif (line[2], line[4]) in arrived:
                yield line[3], arrived.pop((line[2], line[4])), at


def held(log):
    """Time in which several requests of a task were there counts once."""
    seconds, until = {}, {}
    for user, begin, end in sorted(spans_of(log), key=lambda span: span[1]):
        task = re.sub(r"(\d)$", r"-\1", user)
        begin = max(begin, until.get(task, 0))
        seconds[task] = seconds.get(task, 0) + max(end - begin, 0)
        until[task] = max(end, until.get(task, 0))
    return seconds


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(held(sys.argv[1])))
    else:
        run(*sys.argv[1:])
