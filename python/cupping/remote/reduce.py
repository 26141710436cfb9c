"""cupping.reduce(client): merges the logs of a cluster on its workers, and fetches one log."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import Any

from ..profile import Error
from . import by_source, merge_tasks
from .whole_file import write_whole

FAN = 8  # merged logs that one task merges
LOOK_S = 2.0  # between two looks whether workers have left
POLL_S = 0.05


class Task(by_source.Function):
    """A function of merge_tasks.py, for client.run() and client.submit()."""

    def __init__(self, name: str):
        super().__init__(merge_tasks.__name__, name)
        self.__name__ = name

    def __call__(self, *_arguments):
        raise Error(f"{self.name}() runs on workers only")


def group_workers(about: dict[str, dict[str, Any]]) -> list[list[str]]:
    """Workers with the same logs, of which one will merge them: those of one host, or of hosts that
    share a directory. Raises Error for a worker whose logs cannot be merged there."""
    groups: dict[Any, list[str]] = {}
    for worker, facts in about.items():
        if not facts["directory"]:
            raise Error(f"{worker} is not profiled: CUPPING_DIR is not set there")
        if facts["logs"] is None:
            raise Error(f"{worker} cannot read its profile directory {facts['directory']}")
        if not facts["command"]:
            raise Error(f"{worker} has no command cupping: install cupping there, or name it with command=")
        if facts["logs"]:
            groups.setdefault(tuple(facts["logs"]), []).append(worker)
    if not groups:
        raise Error("the workers have no logs yet")
    return list(groups.values())


def await_merge(client, merged, first_parts: list) -> bytes:
    """Raises Error if no worker is left that can read one of the directories: Dask would wait for ever.
    Dask's wait() would ask the default client, which may be another one, or none."""
    looked = time.monotonic()
    while not merged.done():
        time.sleep(POLL_S)
        if time.monotonic() - looked < LOOK_S:
            continue
        left = client.run_on_scheduler(Task("find_workers_that_left"), [part.key for part in first_parts])
        if left:
            raise Error(f"{', '.join(left)} left before their logs were merged: call reduce() again")
        looked = time.monotonic()
    return merged.result()


def reduce(client, output: str | os.PathLike, *, command: str | None = None, memory_mb: int = 512,
           per_prefix: bool = False) -> Path:
    """Merges the logs of all workers in a tree of Dask tasks. Returns the path of the merged log."""
    if client.asynchronous:
        raise Error("reduce needs a client that is not asynchronous: Client(address)")
    output = Path(output).absolute()
    about = client.run(Task("describe"), command)
    name = f"cupping-merge-{uuid.uuid4().hex[:8]}"
    level, first = 0, []
    for i, workers in enumerate(group_workers(about)):
        directory = about[workers[0]]["directory"]
        able = [worker for worker in workers if about[worker]["directory"] == directory]
        first.append(client.submit(Task("merge_directory"), directory, command, memory_mb, per_prefix, workers=able,
                                   key=f"{name}-0-{i}", allow_other_workers=False, pure=False))
    parts = first
    while len(parts) > 1:
        level += 1
        parts = [client.submit(Task("merge_parts"), parts[i:i + FAN], command, memory_mb,
                               key=f"{name}-{level}-{i // FAN}", pure=False)
                 for i in range(0, len(parts), FAN)]
    write_whole(output, await_merge(client, parts[0], first))
    return output
