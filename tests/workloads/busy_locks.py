"""Methods of an actor that return while another thread has the lock which Dask asks for then.

    busy_locks.py FILE

Three calls, of which each reads 1000 bytes of FILE, and a plain task after them, which reads 10.
"""

import sys
import threading
import time

from distributed import Client, get_worker


def read(path, size):
    with open(path, "rb", buffering=0) as file:
        return len(file.read(size))


class Reader:
    def read(self, path):
        lock, held = get_worker().active_threads_lock, threading.Event()

        def hold():
            with lock:
                held.set()
                time.sleep(0.1)

        threading.Thread(target=hold).start()
        held.wait()
        return read(path, 1000)


if __name__ == "__main__":
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        reader = client.submit(Reader, actor=True, key="reader").result()
        for _ in range(3):
            assert reader.read(sys.argv[1]).result() == 1000
        assert client.submit(read, sys.argv[1], 10, key="plain").result() == 10
