"""Programs that are difficult for a library that reads stacks at every allocation. Each prints what it did,
which is the same with and without the library.

    stacks_stress.py NAME        that one, in a Dask task (or, daemons and exits, around one)
"""

import asyncio
import concurrent.futures
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import run_task


def imports():
    warnings.simplefilter("ignore")
    names = ("email.mime.multipart", "xml.dom.minidom", "http.server", "sqlite3", "decimal", "unittest.mock",
             "logging.config", "ctypes.util", "lib2to3.pgen2" if sys.version_info < (3, 12) else "tomllib")
    for name in names:
        if name in ("sqlite3", "tomllib", "lib2to3.pgen2"):
            try:
                __import__(name)
            except ImportError:
                pass
        else:
            __import__(name)
    return len(names)


def shapes():
    """The stacks of stacks_equal.py, but for its comparison."""
    import contextlib
    import io

    import stacks_equal

    stacks_equal.here = lambda under: 1
    stacks_equal.directory = os.environ["STRESS_DIRECTORY"]
    sys.modules["__main__"].check = stacks_equal.check
    sys.path.insert(0, stacks_equal.directory)
    sys.setrecursionlimit(3000)
    with contextlib.redirect_stderr(io.StringIO()):
        for shape in stacks_equal.SHAPES:
            if shape is not stacks_equal.memory_used_again:
                shape()
    return "shapes"


def code_comes_and_goes():
    total = 0
    for number in range(3000):
        scope = {}
        exec(compile(f"def f{number}(x):\n    return [x] * {number % 50}\n", "<gone>", "exec"), scope)
        total += len(scope[f"f{number}"](1))
    return total


def threads():
    done = []

    def body(number):
        for i in range(300):
            done.append(str(number) * (i % 7))
            if i % 50 == 0:
                time.sleep(0.0005)

    for _ in range(5):
        many = [threading.Thread(target=body, args=(n,)) for n in range(8)]
        for thread in many:
            thread.start()
        for thread in many:
            thread.join()
    return len(done)


def asynchronous():
    async def leaf(n):
        await asyncio.sleep(0)
        return [n] * n

    async def run():
        out = 0
        for _ in range(30):
            out += sum(len(x) for x in await asyncio.gather(*(leaf(n) for n in range(20))))
            out += await asyncio.get_running_loop().run_in_executor(None, len, "abc")
        return out

    return asyncio.run(run())


def forks():
    warnings.simplefilter("ignore")  # a thread runs, as one does in each worker
    out = []
    busy = threading.Thread(target=lambda: [str(i) * 10 for i in range(100000)])
    busy.start()
    for number in range(10):
        child = os.fork()
        if child == 0:
            run_task.run(f"child-{number}", code_comes_and_goes) if number % 2 else None
            os._exit(len([str(i) for i in range(number)]))
        out.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    busy.join()
    return out


def children():
    out = [subprocess.run([sys.executable, "-c", "import json; print(json.dumps([1] * 3))"], text=True,
                          capture_output=True) for _ in range(3)]
    return [(done.returncode, done.stdout, done.stderr) for done in out]


def square(n):
    return sum([n] * n)


def pools():
    out = []
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            out.append(pool.map(square, range(10)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        out.append(list(pool.map(square, range(50))))
    return out


def deep():
    def down(n):
        return [n] if n == 0 else down(n - 1) + [n]

    sys.setrecursionlimit(5000)
    try:
        return len(down(900)), down(10**6)
    except RecursionError:
        return "too deep"


def signals():
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append([str(i) for i in range(10)]))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        [str(i) for i in range(1000)]
    signal.setitimer(signal.ITIMER_REAL, 0)
    return len(seen) > 10


def memory():
    class Cycle:
        def __init__(self):
            self.itself = self

        def __del__(self):
            self.text = [str(i) for i in range(20)]

    for _ in range(500):
        Cycle()
    gc.collect()
    try:
        bytearray(1 << 60)
    except MemoryError:
        return "no memory"


def execs():
    os.execv(sys.executable, [sys.executable, "-c", "print('exec', sum([1] * 100))"])


def arrays():
    try:
        import numpy
    except ImportError:
        return 500500
    return int(sum(numpy.arange(n).sum() for n in range(1, 3)) + numpy.linspace(0, 1001, 1001).sum() - 1)


IN_TASK = (imports, shapes, code_comes_and_goes, threads, forks, children, pools, deep, signals, memory, execs,
           arrays)


def busy_daemons():
    def body(n):
        while True:
            for i in range(100):
                str(n) * i
            time.sleep(0.0001 * n)

    for n in range(6):
        threading.Thread(target=body, args=(n % 3,), daemon=True).start()
    run_task.run("before", code_comes_and_goes)


def daemons():
    busy_daemons()
    print("ends")


def daemons_and_exit():
    busy_daemons()
    sys.stdout.write("exits\n")
    sys.stdout.flush()
    os._exit(3)


def daemons_and_error():
    busy_daemons()
    raise SystemExit(5)


def killed():
    busy_daemons()
    print("killed", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


def ends_late():
    import atexit

    run_task.run("before", code_comes_and_goes)
    atexit.register(lambda: print("atexit", code_comes_and_goes()))

    class Last:
        def __del__(self):
            print("last", sum([1] * 10))

    sys.modules["last"] = Last()


AROUND = (asynchronous, daemons, daemons_and_exit, daemons_and_error, killed, ends_late)

if __name__ == "__main__":
    name = sys.argv[1]
    if name == "names":
        print(*(function.__name__ for function in IN_TASK + AROUND))
    elif name in [function.__name__ for function in IN_TASK]:
        print(name, run_task.run(name, globals()[name]))
    else:
        run_task.run("first", int)
        print(name, globals()[name]())
