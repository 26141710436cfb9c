"""Tasks that open files and connect, and take the time of it themselves.

    opens.py OUT.json DIRECTORY [URL FILE]     URL: of an XRootD server that has FILE

Written: {key: [{kind, error, at_least_ns, at_most_ns}]}, in the order in which they were opened. A delay
that is put in is the lower bound, the client's own clock the upper one."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from run_task import run

DELAY = 0.2
HOLDER = """
import fcntl, os, signal, sys, time
file = os.open(sys.argv[1], os.O_RDWR)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
signal.sigwait([signal.SIGIO])
time.sleep(float(sys.argv[2]))
os._exit(0)
"""

expected = {}


def timed(key, kind, call, error=0, at_least=0.0):
    """Calls it in a task; what it took is expected of the task."""
    took = []

    def task():
        start = time.perf_counter_ns()
        try:
            return call(lambda: took.append(time.perf_counter_ns() - start))
        finally:
            took.append(time.perf_counter_ns() - start)

    run(key, task)
    expected.setdefault(key, []).append(
        {"kind": kind, "error": error, "at_least_ns": int(at_least * 1e9), "at_most_ns": took[0]})


# ---- local files ------------------------------------------------------------------------------

def read_local(path):
    def call(opened):
        file = os.open(path, os.O_RDONLY)
        opened()
        assert os.read(file, 10) == b"0123456789"
        os.close(file)

    return call


def read_missing(path):
    def call(opened):
        try:
            open(path)
        except FileNotFoundError:
            opened()

    return call


def open_unused(path):
    """Neither read nor a data file: nothing of this is reported."""
    def call(opened):
        os.close(os.open(path, os.O_RDONLY))
        os.close(os.open("/proc/self/stat", os.O_RDONLY))
        assert Path(__file__).read_bytes()
        opened()

    return call


def local_files(directory):
    path = str(Path(directory, "data.bin"))
    Path(path).write_bytes(b"0123456789" * 100)
    timed("local", "local", read_local(path))
    timed("missing", "local", read_missing(str(Path(directory, "none.bin"))), error=2)
    timed("unused", "", open_unused(path))
    expected["unused"] = []
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path, str(DELAY)], stdout=subprocess.PIPE,
                              env={**os.environ, "LD_PRELOAD": ""})
    if holder.stdout.readline() == b"held\n":  # not every file system has leases
        timed("slow-local", "local", read_local(path), at_least=DELAY)
    holder.wait()


# ---- connections ------------------------------------------------------------------------------

def listening(queue):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(queue)
    return server


def connect(address, timeout):
    """With a timeout Python does not wait in connect(), but in poll(), and asks how it ended."""
    def call(opened):
        client = socket.socket()
        client.settimeout(timeout)
        try:
            client.connect(address)
            opened()
        except OSError:
            pass
        client.close()
        opened()

    return call


def close_in_range(address):
    """Gives up as a program does that closes all its descriptors: by close_range()."""
    def call(closed):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(address)
        number = client.detach()
        os.closerange(number, number + 1)
        closed()

    return call


def full(queue=0):
    """A server that accepts no connection: its queue is full."""
    server = listening(queue)
    inside = []
    for _ in range(queue + 1):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(server.getsockname())
        inside.append(client)
    time.sleep(0.1)
    return server, inside


SERVER = """
import http.server, sys
handler = lambda *a: http.server.SimpleHTTPRequestHandler(*a, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def web(directory):
    import fsspec

    server = subprocess.Popen([sys.executable, "-c", SERVER, directory], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env={**os.environ, "LD_PRELOAD": ""})
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/data.bin"
    timed("fsspec", "connect", lambda _: fsspec.filesystem("http").cat_file(url))
    server.kill()
    server.wait()


def connections(directory):
    server = listening(5)
    address = server.getsockname()
    timed("connect", "connect", connect(address, 5))
    timed("waiting", "connect", connect(address, None))
    server.close()
    timed("refused", "connect", connect(address, 5), error=111)
    crowded, inside = full()
    timed("given-up", "connect", connect(crowded.getsockname(), DELAY), error=125, at_least=DELAY)

    timed("given-up-range", "connect", close_in_range(crowded.getsockname()), error=125)

    def let_in():
        time.sleep(DELAY)
        crowded.accept()

    threading.Thread(target=let_in).start()  # whoever waits asks again after a second
    timed("slow-connect", "connect", connect(crowded.getsockname(), 30), at_least=2 * DELAY)
    web(directory)


# ---- XRootD -----------------------------------------------------------------------------------

class Slow(threading.Thread):
    """Between client and server: what the server says comes later."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.door = port, listening(20)
        self.start()

    def run(self):
        while True:
            client, _ = self.door.accept()
            server = socket.create_connection(("localhost", self.port))
            threading.Thread(target=self.pass_on, args=(client, server, 0), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client, DELAY), daemon=True).start()

    @staticmethod
    def pass_on(here, there, delay):
        while data := here.recv(1 << 16):
            time.sleep(delay)
            there.sendall(data)


def xrootd(url, name):
    from XRootD import client

    def open_now(path):
        def call(opened):
            file = client.File()
            status, _ = file.open(path)
            opened()
            if status.ok:
                file.read(0, 100)
                file.close()

        return call

    def open_later(path):
        def call(opened):
            file, done = client.File(), threading.Event()
            file.open(path, callback=lambda *answer: done.set())
            done.wait()
            opened()
            file.close()

        return call

    port = int(url.rstrip("/").rsplit(":", 1)[1])
    slow = f"root://localhost:{Slow(port).door.getsockname()[1]}/"
    timed("xrootd-first", "xrootd", open_now(f"{slow}/{name}"), at_least=DELAY)  # and logs in
    timed("xrootd", "xrootd", open_now(f"{slow}/{name}"), at_least=DELAY)
    timed("xrootd-later", "xrootd", open_later(f"{slow}/{name}"), at_least=DELAY)
    timed("xrootd-quick", "xrootd", open_now(f"{url}/{name}"))
    timed("xrootd-missing", "xrootd", open_now(f"{url}/none.root"), error=3011)
    timed("xrootd-missing-later", "xrootd", open_later(f"{url}/none.root"), error=3011)


def main():
    out, directory, *server = sys.argv[1:]
    local_files(directory)
    connections(directory)
    if server:
        xrootd(*server)
    Path(out).write_text(json.dumps(expected))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
