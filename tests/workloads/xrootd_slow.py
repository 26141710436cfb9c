"""Tasks that read 0.root from one data server and 1.root from another, behind a redirector. The
first one is slow, or is killed.

    xrootd_slow.py URL PID stop|kill        PID: of the first data server

Each task's key is printed with the seconds that it took."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from run_task import Failed, run
from XRootD import client

STOP_S = 2


def check(status):
    if not status.ok:
        raise OSError(status.message)


def read_waiting(url):
    file = client.File()
    check(file.open(url)[0])
    for at in range(20):
        check(file.read(at * 1000, 1000)[0])
    check(file.stat()[0])  # the client knows the answer since the open
    check(file.stat(force=True)[0])
    check(file.close()[0])


class Later:
    """A file that is read by requests whose answers go to handlers."""

    def __init__(self, url):
        self.file, self.done = client.File(), threading.Event()
        self.wait(self.file.open(url, callback=self.answer))

    def answer(self, status, *_):
        self.status = status
        self.done.set()

    def wait(self, status):
        check(status)
        self.done.wait()
        self.done.clear()
        check(self.status)

    def read(self, at):
        self.wait(self.file.vector_read([(at * 1000, 500), (at * 1000 + 5000, 500)],
                                        callback=self.answer))


def read_later(url):
    file = Later(url)
    for at in range(20):
        file.read(at)
    file.wait(file.file.stat(callback=file.answer))
    file.wait(file.file.stat(force=True, callback=file.answer))
    file.wait(file.file.close(callback=file.answer))


def timed(key, function):
    start, error = time.monotonic(), ""
    try:
        run(key, function)
    except Failed as failed:
        error = str(failed)
    print(key, time.monotonic() - start, error, flush=True)


def is_stopped(pid):
    """Each thread stops by itself, so for a moment after the signal some still answer."""
    states = [path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return set(states) == {"T"}


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    while not is_stopped(pid):
        time.sleep(0.001)
    threading.Timer(STOP_S, os.kill, (pid, signal.SIGCONT)).start()


def main():
    url, pid, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    slow, fast = f"{url}/0.root", f"{url}/1.root"
    for how in read_waiting, read_later:
        timed(f"{how.__name__}-fast", lambda: how(fast))
        timed(f"{how.__name__}-slow", lambda: how(slow))
    opened, later = client.File(), Later(slow)
    check(opened.open(slow)[0])
    if mode == "stop":
        for key, read in (
            ("stopped-read", lambda: check(opened.read(0, 1000)[0])),
            ("stopped-later", lambda: later.read(0)),
            ("stopped-open", lambda: read_waiting(slow)),
            ("stopped-open-later", lambda: read_later(slow)),
        ):
            stop(pid)
            timed(key, read)
    else:
        os.kill(pid, signal.SIGKILL)
        timed("killed-read", lambda: check(opened.read(0, 1000)[0]))
        timed("killed-later", lambda: later.read(0))
        timed("healthy", lambda: read_waiting(fast))
    os._exit(0)  # closing the files of a dead server takes long


if __name__ == "__main__":
    main()
