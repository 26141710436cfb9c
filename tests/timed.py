"""Runs a command without its output, and prints how long it took and how much memory it used.

    timed.py COMMAND...
"""

import os
import subprocess
import sys
import time

start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(f"  {time.perf_counter() - start:.2f} s wall, {usage.ru_utime + usage.ru_stime:.2f} s CPU, "
      f"{usage.ru_maxrss * 1024 / 1e6:.0f} MB, status {status}")
