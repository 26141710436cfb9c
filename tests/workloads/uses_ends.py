"""Tasks whose threads end while much of their CPU time is in no sample yet: pools made for one call, and threads
that live less than a sampler's period.

    uses_ends.py SECONDS     then, without the library: uses_ends.py --check DIRECTORY

DIRECTORY/used.json ($CUPPING_DIR) has, for each task, the CPU time of all threads that it started (by the clock of the
process), and that of its longest thread (by the thread's clock).
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOM = 0.1  # as a share: the task's own thread, the library's, and the ends of threads after their last record
used, longest = Counter(), Counter()


def burn(task, seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(i * i for i in range(500))
    longest[task] = max(longest[task], time.thread_time())


def pooled(seconds):
    """Two threads that contend for the GIL: mostly blocked when they are looked at."""
    for _ in range(int(seconds * 5)):
        with ThreadPoolExecutor(2) as threads:
            for _ in range(2):
                threads.submit(burn, "pooled", 0.1)


def short(seconds):
    for _ in range(int(seconds * 100)):
        thread = threading.Thread(target=burn, args=("short", 0.002))
        thread.start()
        thread.join()


def names_of(log, node):
    return [name and name.split(".")[-1] for name, _, _ in log.frames(node)]


def check(directory):
    import raw_log

    reported = json.loads((Path(directory) / "used.json").read_text())
    found, burning, seen = Counter(), Counter(), Counter()
    for log in map(raw_log.Log, Path(directory).glob("*.cup")):
        for task, node, use, times, _, ns in log.uses:
            key, burns = log.tasks.get(task), "burn" in names_of(log, node)
            if use == "cpu":
                found[key] += ns / 1e9
                burning[key] += burns * ns / 1e9
            if use in ("cpu", "off_cpu"):
                seen[key] += burns * times
    print(reported, found, burning, seen)
    for task, seconds in reported["used"].items():
        assert abs(found[task] - seconds) < ROOM * seconds, (task, found[task], "not", seconds)
    assert burning["pooled"] > 0.8 * found["pooled"]
    # No thread is reported at a place where it was not sampled.
    assert burning["short"] <= seen["short"] * 1.5 * reported["longest"]["short"]


def others_s():
    """CPU time of all threads but this one."""
    return time.process_time() - time.thread_time()


def main(seconds):
    import run_task

    run_task.run("first", int)
    for function in (pooled, short):
        before = others_s()
        run_task.run(function.__name__, lambda: function(seconds))
        used[function.__name__] = others_s() - before
    Path(os.environ["CUPPING_DIR"], "used.json").write_text(json.dumps({"used": used, "longest": longest}))


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2])
    else:
        main(float(sys.argv[1]))
