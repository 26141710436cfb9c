"""What verbs share that show the logs of a cluster from afar: collect and top."""

from __future__ import annotations

import time

from .. import profile
from . import UsageError, connect
from .collect import Collector

SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
FIRST_LOG_S = 30  # a worker that starts has no log for some seconds


def read_size(text: str) -> int:
    """A size as 500M or 20G. Raises UsageError."""
    number, unit = (text[:-1], SIZES[text[-1]]) if text[-1:] in SIZES else (text, 1)
    if not number.isdigit() or not int(number):
        raise UsageError(f"--limit {text}: name a size, such as 500M or 20G")
    return int(number) * unit


def only_operand(operands: list[str]) -> str:
    if len(operands) != 1:
        raise UsageError(f"{operands[1]} is one argument too many (the directory is named with -o DIR)")
    return operands[0]


def start_collector(scheduler: str, options: dict[str, str], directory: str, **more) -> Collector:
    """Raises OSError if the scheduler cannot be reached."""
    with connect(scheduler, options) as client:
        collector = Collector(client, directory, **more)
    return collector.start()


def wait_for_log(collector: Collector, scheduler: str) -> None:
    """Until a log is there to read. Raises profile.Error if the cluster is not profiled."""
    until = time.monotonic() + FIRST_LOG_S
    while not any(copy.ready for copy in list(collector.copies.values())):
        if collector.shares_directory():
            raise profile.Error(f"{scheduler}: its workers write into {collector.directory}")
        if time.monotonic() > until or not collector.thread.is_alive():
            collector.stop()
            raise profile.Error(f"{scheduler}: no worker with a nanny is profiled; start it under cupping-run, "
                                "or use `cupping attach`")
        time.sleep(0.05)
