"""The cost of reading a Python stack at an event, in nanoseconds, at depth 20 and 40: of a stack that was seen
before, and of a new one (a new function on top of known ones).

The best of several rounds in the library's own objects (libstacks.c), in every interpreter that there is.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
LIMITS = {20: 80, 40: 150}

MEASURE = """
import atexit, ctypes, sys, time
library = ctypes.PyDLL(sys.argv[1])
library.stacks_begin.restype, library.stacks_cost.restype = ctypes.c_char_p, ctypes.c_double
why = library.stacks_begin(sys.argv[2].encode())
assert why is None, why

def at_depth(depth, function):
    return function() if depth <= 0 else at_depth(depth - 1, function)

def new_function(number):
    scope = {"here": library.stacks_here, "now": time.perf_counter_ns}
    exec(f"def new{number}():\\n a = now(); here(0); b = now(); here(0); return b - a - (now() - b)", scope)
    return scope[f"new{number}"]

for depth in (20, 40):
    met = at_depth(depth - 2, library.stacks_cost)
    new = sorted(at_depth(depth - 2, new_function(number)) for number in range(500))
    print(depth, met, new[len(new) // 2])
"""


def main() -> None:
    pythons = [TOP / "build" / venv / "bin" / "python" for venv in ("venv-3.9", "venv", "venv-3.13")]
    print(f"{'python':10s}{'depth':>6s}{'met before':>12s}{'limit':>7s}{'new':>8s}   ns")
    for python in filter(Path.exists, pythons):
        version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
        with tempfile.TemporaryDirectory(prefix="cupping-bench-") as logs:
            command = [python, "-c", MEASURE, TOP / "build/tests/trace/libstacks.so", logs]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            depth, met, new = int(line.split()[0]), *map(float, line.split()[1:])
            verdict = "" if met <= LIMITS[depth] else "  over"
            print(f"{version:10s}{depth:6d}{met:12.1f}{LIMITS[depth]:7d}{new:8.0f}{verdict}")


if __name__ == "__main__":
    sys.exit(main())
