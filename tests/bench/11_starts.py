"""The CPU time and the page faults of processes that start and end, without the library and with it, by turns.

Each program is started BENCH_STARTS times each way (default 50). With the library it has a CUPPING_DIR, but runs no
task, so nothing is recorded. Shown are the smallest CPU time and the smallest number of page faults.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
STARTS = int(os.environ.get("BENCH_STARTS", "50"))
PROGRAMS = {"/bin/true": ["/bin/true"], "python -c pass": [sys.executable, "-c", "pass"]}


def start(command: list, environment: dict) -> tuple[float, int]:
    """(CPU time in ms, page faults) of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * cpu_s, after.ru_minflt - before.ru_minflt


def main() -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CUPPING")}
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as profile:
        loaded = {**plain, "LD_PRELOAD": str(TOP / "build/libcupping.so"), "CUPPING_DIR": profile}
        print(f"{STARTS} starts each; load {os.getloadavg()[0]:.1f}\n"
              f"{'program':18s}{'CPU ms':>10s}{'with':>8s}{'page faults':>14s}{'with':>8s}")
        for name, command in PROGRAMS.items():
            runs = {False: [], True: []}
            for i in range(2 * STARTS):
                runs[i % 2 == 1].append(start(command, loaded if i % 2 else plain))
            cpu, faults = ([min(run[part] for run in runs[on]) for on in (False, True)] for part in (0, 1))
            assert faults[1] > faults[0], "the library was not loaded"
            print(f"{name:18s}{cpu[0]:10.2f}{cpu[1]:8.2f}{faults[0]:14d}{faults[1]:8d}", flush=True)


if __name__ == "__main__":
    main()
