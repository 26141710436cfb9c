"""Reads where libunwind finds little, as Dask tasks: see tests/trace/libnarrow.c.

    native_narrow.py TRACED    directory of libnarrow.so; says how far below stacks that are no thread's was written
"""

import ctypes
import os
import sys
import tempfile

import run_task

narrow = ctypes.CDLL(os.path.join(sys.argv[1], "libnarrow.so"))

with tempfile.NamedTemporaryFile(suffix=".root") as data:
    data.write(bytes(1 << 20))
    data.flush()
    narrow.narrow_begin(data.name.encode())
    for name in ("stack", "signal_stack", "signal_write", "signal_connect", "coroutine", "allocation", "memory"):
        function = getattr(narrow, f"narrow_{name}")
        function.restype = ctypes.c_long if name.startswith("signal") or name == "coroutine" else None
        print(name, run_task.run(name, function), flush=True)
