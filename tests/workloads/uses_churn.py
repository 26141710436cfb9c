"""Threads in a task whose stacks change all the time, sampled a thousand times a second: two trees of
calls that must never be mixed, generators, forks, threads that come and go.

    uses_churn.py SECONDS     then, without the library: uses_churn.py --check DIRECTORY
"""

import contextlib
import os
import sys
import threading
import time
from pathlib import Path


def a_leaf(n):
    return sum(range(n))


def b_leaf(n):
    return sum(range(n))


def a_tree(depth, n):
    return a_tree(depth - 1, n) if depth else a_leaf(n)


def b_tree(depth, n):
    return b_tree(depth - 1, n) if depth else b_leaf(n)


def a_items(depth, n):
    for i in range(n):
        yield from (a_items(depth - 1, 2) if depth else [i])


def a_generates(n):
    return sum(a_items(5, n))


def b_generates(n):
    return sum(b for b in free_items(n))


def free_items(n):  # belongs to neither
    yield from range(n)


def churn(until):
    while time.time() < until:
        for leaf in (3, 30, 300):
            a_tree(20, leaf)
            b_tree(20, leaf)
        a_generates(3)
        b_generates(30)


def comes_and_goes(until):
    while time.time() < until:
        thread = threading.Thread(target=churn, args=(time.time() + 0.01,))
        thread.start()
        thread.join()


def forks(until):
    while time.time() < until:
        pid = os.fork()
        if pid == 0:
            os._exit(len(os.listdir("/proc/self/task")) != 1)
        assert os.waitpid(pid, 0)[1] == 0
        time.sleep(0.02)
    # A thread is allocated: never where a program waits, which may be within its allocator.
    for seconds in (0.3, 0.05):
        time.sleep(seconds)
    assert "cupping-cpu" not in names_of_threads()


def task(seconds):
    until = time.time() + seconds
    threads = [threading.Thread(target=target, args=(until,)) for target in (churn, comes_and_goes)]
    for thread in threads:
        thread.start()
    churn(until)
    for thread in threads:
        thread.join()


def names_of_threads():
    names = []
    for tid in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            names.append(Path(f"/proc/self/task/{tid}/comm").read_text().strip())
    return names


def main(seconds):
    import run_task

    run_task.run("first", int)
    run_task.run("churn", lambda: task(seconds))
    assert [thread.name for thread in threading.enumerate()] == ["MainThread"]
    assert names_of_threads().count("cupping-cpu") == 1, names_of_threads()
    run_task.run("forks", lambda: forks(time.time() + 0.5))
    time.sleep(0.3)
    run_task.run("after", lambda: churn(time.time() + 0.5))
    assert names_of_threads().count("cupping-cpu") == 1, names_of_threads()
    print("done")


def check(directory):
    import raw_log

    logs = [log for log in map(raw_log.Log, Path(directory).glob("*.cup")) if log.tasks]
    mixed = whole = after = 0
    for log in logs:
        print(len(log.nodes), {k: v for k, v in log.health.items() if k.startswith("cpu")}, log.notes)
        for task, node, use, count, _, _ in log.uses:
            if use not in ("cpu", "off_cpu"):
                continue
            names = {name.split(".")[-1][:2] for name, code, _ in log.frames(node) if code}
            whole += count
            mixed += count * ({"a_", "b_"} <= names)
            after += count * (log.tasks.get(task) == "after")
    torn = sum(log.health["cpu_samples_torn"] for log in logs)
    print(f"{whole} samples, {mixed} mixed, {torn} torn, {after} after forks")
    assert whole > 100 and after > 5
    assert mixed <= whole / 50 and torn < whole


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1] == "--check" else main(float(sys.argv[1]))
