"""What cupping.reduce() runs on the workers of a cluster, and on its scheduler. This module's source is sent there
(by_source.py), so it imports only Python's, and it runs with the Python of the workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile


def find_command(given: str | None) -> str | None:
    """The command `cupping` on this worker: GIVEN, that of its Python, or the first on its path."""
    if given:
        return shutil.which(given)
    beside = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    return shutil.which("cupping", path=os.pathsep.join(beside)) or shutil.which("cupping")


def describe(command: str | None) -> dict:
    """Where this worker's logs are, and their names; None: the directory cannot be read."""
    directory = os.environ.get("CUPPING_DIR", "")
    try:
        logs = sorted(name for name in os.listdir(directory) if name.endswith(".cup"))
    except OSError:
        logs = None
    return {"directory": directory, "logs": logs, "command": find_command(command)}


def run_merge(command: str | None, inputs: list[str], output: str, memory_mb: int, *options: str) -> None:
    """The command itself is not profiled."""
    environment = {name: text for name, text in os.environ.items()
                   if name != "LD_PRELOAD" and not name.startswith("CUPPING_")}
    done = subprocess.run([find_command(command) or "cupping", "merge", *inputs, "-o", output,
                           "--memory", str(memory_mb), *options],
                          env=environment, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip() or
                           f"cupping merge ended with status {done.returncode}")


def merge_directory(directory: str, command: str | None, memory_mb: int, per_prefix: bool) -> bytes:
    """A merged log of the logs in a directory of this worker."""
    with tempfile.TemporaryDirectory(prefix="cupping-") as scratch:
        output = os.path.join(scratch, "merged.cup")
        run_merge(command, [directory], output, memory_mb, *(["--per-prefix"] if per_prefix else []))
        with open(output, "rb") as file:
            return file.read()


def find_workers_that_left(keys: list[str], dask_scheduler) -> list[str]:
    """Addresses of workers of tasks that can run nowhere any more, because each may run on these workers only."""
    tasks = [dask_scheduler.tasks[key] for key in keys if key in dask_scheduler.tasks]
    return sorted({worker for task in tasks if task.state == "no-worker"
                   and not task.worker_restrictions & set(dask_scheduler.workers)
                   for worker in task.worker_restrictions})


def merge_parts(parts: list[bytes], command: str | None, memory_mb: int) -> bytes:
    """A merged log of several merged logs."""
    with tempfile.TemporaryDirectory(prefix="cupping-") as scratch:
        inputs = [os.path.join(scratch, f"{i}.cup") for i in range(len(parts))]
        for path, part in zip(inputs, parts):
            with open(path, "wb") as file:
                file.write(part)
        output = os.path.join(scratch, "merged.cup")
        run_merge(command, inputs, output, memory_mb)
        with open(output, "rb") as file:
            return file.read()
