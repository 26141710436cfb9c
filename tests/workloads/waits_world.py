"""What makes tasks of waits_tasks.py wait, in processes that are not profiled.

    waits_world.py serve FILE      a server that answers late; its port goes to FILE
    waits_world.py feed FIFO...    a byte into each, every 10 ms
    waits_world.py lock FILE       holds the file's lock, 20 ms of every 21
    waits_world.py burn            burns CPU time
"""

import ctypes
import errno
import fcntl
import os
import signal
import socketserver
import sys
import time
from pathlib import Path


class Late(socketserver.StreamRequestHandler):
    """Answers a line `N`, or a request `GET /N`, after N milliseconds."""

    def handle(self):
        while line := self.rfile.readline():
            if http := line.startswith(b"GET"):
                while self.rfile.readline().strip():
                    pass
            time.sleep(int(line.split()[int(http)].strip(b"/")) / 1000)
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n" if http else b"ok\n")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


def serve(file):
    server = Server(("127.0.0.1", 0), Late)
    Path(file + ".new").write_text(str(server.server_address[1]))
    os.rename(file + ".new", file)
    server.serve_forever()


def feed(*fifos):
    fds = [os.open(fifo, os.O_RDWR | os.O_NONBLOCK) for fifo in fifos]
    while True:
        time.sleep(0.01)
        for fd in fds:
            try:
                os.write(fd, b".")
            except OSError as error:  # full: nobody reads
                assert error.errno == errno.EAGAIN


def lock(file):
    fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    while True:
        fcntl.flock(fd, fcntl.LOCK_EX)
        time.sleep(0.02)
        fcntl.flock(fd, fcntl.LOCK_UN)
        time.sleep(0.001)


def burn():
    while True:
        sum(range(10000))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)  # end with the parent
    {"serve": serve, "feed": feed, "lock": lock, "burn": burn}[sys.argv[1]](*sys.argv[2:])
