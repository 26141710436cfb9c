"""Two tasks at one time and a pool of processes: children_shared.py DIRECTORY

The first task makes it and uses it. Then it is over and the pool closed ("private-"), or the other
task uses the pool as well while the first one still runs ("shared-"). A second pool starts its
processes as they are needed: the other task starts one that works for both ("grown-").

DIRECTORY/expected gets "key bytes" lines, as children.py does: for which task a shared process reads
cannot be known, so its bytes must be unattributed."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

from run_task import run

directory = sys.argv[1]
BYTES = 10000


def read(path):
    with open(path, "rb", buffering=0) as file:
        return len(file.read(BYTES))


class Pool:
    """multiprocessing's, with the face of an executor."""

    def __init__(self):
        self.pool = multiprocessing.get_context("fork").Pool(2)

    def submit(self, function, *arguments):
        self.pool.apply(function, arguments)

    def shutdown(self):
        self.pool.close()
        self.pool.join()


class Program:
    """A child that reads the paths from its standard input, and answers."""

    def __init__(self):
        program = ("import sys\nfor line in sys.stdin:\n"
                   f"    print(len(open(line.strip(), 'rb', 0).read({BYTES})), flush=True)")
        self.process = subprocess.Popen([sys.executable, "-c", program], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def submit(self, _function, path):
        print(path, file=self.process.stdin, flush=True)
        self.process.stdout.readline()

    def shutdown(self):
        self.process.communicate()


class Unbuffered(Program):
    """The same, written to and read from without a buffer, and so without a lock."""

    def submit(self, _function, path):
        os.write(self.process.stdin.fileno(), f"{path}\n".encode())
        os.read(self.process.stdout.fileno(), 100)


def executor(method, workers):
    return ProcessPoolExecutor(workers, multiprocessing.get_context(method))


makers = {
    "executor-fork": lambda: executor("fork", 2),
    "executor-spawn": lambda: executor("spawn", 1),
    "executor-forkserver": lambda: executor("forkserver", 1),
    "pool": Pool,
    "program": Program,
    "unbuffered": Unbuffered,
}


def use(pool, path, times):
    for _ in range(times):
        done = pool.submit(read, path)
        if done:
            done.result()


def private(key, maker, path):
    def body():
        pool = maker()
        use(pool, path, 3)
        pool.shutdown()

    run(f"private-{key}", body)
    return {f"private-{key}": 3 * BYTES}


def together(*bodies):
    threads = [threading.Thread(target=run, args=each) for each in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def shared(key, maker, path):
    made, used = threading.Event(), threading.Event()
    pools = []

    def first():
        pools.append(maker())
        use(pools[0], path, 1)
        made.set()
        used.wait()
        use(pools[0], path, 1)

    def second():
        made.wait()
        use(pools[0], path, 3)
        used.set()

    together((f"shared-{key}-1", first), (f"shared-{key}-2", second))
    pools[0].shutdown()
    return {f"shared-{key}-1": 0, f"shared-{key}-2": 0}


def wait_for(event, other):
    """The first process waits, so that the pool starts a second one."""
    event.set()
    other.wait(60)


def grown(key, path):
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        pool = executor("spawn", 2)
        inside, go, used = manager.Event(), manager.Event(), threading.Event()

        def first():
            waits = pool.submit(wait_for, inside, go)
            inside.wait(60)
            used.wait()
            use(pool, path, 3)  # by the process that the second task started
            go.set()
            waits.result()

        def second():
            inside.wait(60)
            use(pool, path, 1)
            used.set()
            go.wait(60)

        together((f"grown-{key}-1", first), (f"grown-{key}-2", second))
        pool.shutdown()
    return {f"grown-{key}-1": 0, f"grown-{key}-2": 0}


def main():
    path = f"{directory}/data"
    with open(path, "wb") as file:
        file.write(b"x" * BYTES)
    expected = grown("spawn", path)
    for key, maker in makers.items():
        expected.update(private(key, maker, path))
        expected.update(shared(key, maker, path))
    with open(f"{directory}/expected", "w") as file:
        file.writelines(f"{key} {bytes}\n" for key, bytes in expected.items())


if __name__ == "__main__":
    main()
