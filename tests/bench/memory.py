"""What the library keeps in the memory of a worker: pages of its tables, and of its own variables.

    memory.py [--job demo|noop|paced] [--tasks 10000] [--seconds 300] [-o DIR]

A worker of two threads without a nanny runs one of: the demo's analysis; tasks that do nothing; the
demo's analysis at the pace of a real one, again and again (paced_job.py, tasks of 1 s). strace notes
the mappings that the library makes (it calls mmap() by libc's syscall(), which hardly any other code
does); /proc/PID/pagemap says which of their pages are present. The log's own mapping is not counted:
its pages are the file's.
"""

import argparse
import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests" / "workloads"))
import cluster  # noqa: E402
from cluster import Process  # noqa: E402

PAGE = os.sysconf("SC_PAGE_SIZE")
LIBRARY = TOP / "build" / "libcupping.so"


def present_pages(pid, low, high):
    """Private pages from LOW to HIGH that are in memory or swapped."""
    with open(f"/proc/{pid}/pagemap", "rb") as file:
        file.seek(low // PAGE * 8)
        data = file.read((high - low) // PAGE * 8)
    return [entry for entry, in struct.iter_unpack("<Q", data) if entry >> 62 and not entry >> 61 & 1]


def present_bytes(pid, low, high):
    return len(present_pages(pid, low, high)) * PAGE


def libc_syscall(pid):
    """Where syscall() of the process's libc is."""
    libc = ctypes.CDLL(None)
    own = ctypes.cast(libc.syscall, ctypes.c_void_p).value
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(part, 16) for part in line.split()[0].split("-"))
        if low <= own < high:
            path, offset = line.split()[-1], own - low + int(line.split()[2], 16)
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split()
        if fields[-1] == path and "x" in fields[1]:
            return int(fields[0].split("-")[0], 16) + offset - int(fields[2], 16)
    raise RuntimeError("no libc")


CALL = re.compile(r"^(\d+) +\[([0-9a-f]+)\] (mmap|munmap|mremap)\((.*)\) = (0x[0-9a-f]+|0)")


def read_mappings(trace, where):
    """Anonymous mappings of the library that are left at the end: address to size."""
    maps = {}
    for line in trace.read_text().splitlines():
        found = CALL.match(line)
        if not found or not where <= int(found[2], 16) < where + 64:
            continue
        arguments = [part.strip() for part in found[4].split(",")]
        if found[3] == "mmap" and "MAP_ANONYMOUS" in arguments[3] and "PROT_NONE" not in arguments[2]:
            maps[int(found[5], 16)] = int(arguments[1])
        elif found[3] == "munmap":
            maps.pop(int(arguments[0], 16), None)
        elif found[3] == "mremap":
            maps.pop(int(arguments[0], 16), None)
            maps[int(found[5], 16)] = int(arguments[2])
    return maps


def find_segments(pid):
    """The library's writable segments, and its lowest address."""
    base, segments, follows = None, [], 0
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split()
        low, high = (int(part, 16) for part in fields[0].split("-"))
        ours = fields[-1].endswith("libcupping.so")
        if ours and base is None:
            base = low - int(fields[2], 16)
        if ours or (len(fields) == 5 and low == follows):
            segments.append((low, high))
            follows = high
    return base, segments


def print_variables(pid, base, least=50_000):
    """The library's large variables."""
    rows = []
    for line in subprocess.check_output(["nm", "-S", str(LIBRARY)], text=True).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "bBdD" and int(fields[1], 16) >= least:
            low = base + int(fields[0], 16)
            bytes_present = present_bytes(pid, low // PAGE * PAGE, -(-(low + int(fields[1], 16)) // PAGE) * PAGE)
            rows.append((bytes_present, int(fields[1], 16), fields[3]))
    for bytes_present, size, name in sorted(rows, reverse=True):
        print(f"  {name:24s} {size:10d} {bytes_present:10d}")


def print_table(pid, trace):
    maps = read_mappings(trace, libc_syscall(pid))
    base, segments = find_segments(pid)
    own = sum(present_bytes(pid, low, high) for low, high in segments)
    rows = sorted(((present_bytes(pid, low, low + -(-size // PAGE) * PAGE), size, low)
                   for low, size in maps.items()), reverse=True)
    print("  mapping or variable            bytes    present")
    for there, size, low in rows:
        if there >= 50_000:
            print(f"  {low:#24x} {size:10d} {there:10d}")
    print_variables(pid, base)
    mapped = sum(row[0] for row in rows)
    print(f"mappings {mapped / 1e6:.2f} MB, variables {own / 1e6:.2f} MB, together {(mapped + own) / 1e6:.2f} MB")
    return mapped + own


def run_job(args, address, files, cupping):
    end = time.monotonic() + args.seconds
    if args.job == "noop":
        code = (f"from dask.distributed import Client\nwith Client('{address}') as c:\n"
                f" c.gather(c.map(lambda i: i, range({args.tasks}), pure=False))")
        Process("job", [*cupping, sys.executable, "-c", code], args.logs).wait(600)
    elif args.job == "demo":
        Process("job", [*cupping, sys.executable, TOP / "tests/workloads/demo.py", files / "files.json",
                        "--scheduler", address], args.logs).wait(600)
    while args.job == "paced" and time.monotonic() < end:
        Process("job", [*cupping, sys.executable, TOP / "tests/workloads/paced_job.py", files / "files.json",
                        address, "--task-s", "1", "--chunksize", "5000"], args.logs).wait(1200)


def run(args):
    shutil.rmtree(args.output, ignore_errors=True)
    args.logs = args.output / "output"
    args.logs.mkdir(parents=True)
    Process.directory = args.output
    cupping = [TOP / "wrappers" / "cupping-run", "-o", args.output / "profile", "--"]
    files = TOP / "build" / "demo-data" / "ttree-600000"
    Process("mktree", [sys.executable, TOP / "tests/workloads/mktree.py", files], args.logs).wait(600)
    dask = Path(sys.executable).parent / "dask"
    file, trace = args.logs / "scheduler.json", args.output / "trace"
    scheduler = Process("scheduler", [*cupping, dask, "scheduler", "--host", "127.0.0.1", "--port", "0",
                                      "--no-dashboard", "--scheduler-file", file], args.logs)
    address = cluster.scheduler_address(file, scheduler)
    worker = Process("worker", [*cupping, "strace", "-f", "--seccomp-bpf", "-i", "-e", "trace=mmap,munmap,mremap",
                                "-o", trace, sys.executable, dask, "worker", address, "--no-dashboard",
                                "--no-nanny", "--nthreads", "2",
                                "--local-directory", args.output / "scratch"], args.logs)
    run_job(args, address, files, cupping)
    pid = int(re.match(r"\d+", trace.read_text())[0])
    print(f"{args.job}:")
    print_table(pid, trace)
    os.kill(pid, signal.SIGTERM)
    worker.popen.wait(60)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--job", choices=["demo", "noop", "paced"], default="demo")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "memory")
    args = parser.parse_args()
    args.output = args.output.resolve()
    return cluster.guarded("memory", run, args)


if __name__ == "__main__":
    sys.exit(main())
