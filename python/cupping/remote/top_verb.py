"""cupping top SCHEDULER: the logs come into a directory that lives as long as the view."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile

from .. import profile
from . import commands

LOCAL = ("once", "interval", "http", "sort")  # options of the view itself


def show(directory: str, options: dict[str, str]) -> int:
    """`cupping top DIRECTORY`, on this terminal. Signals are for it."""
    words = [f"--{name}={options[name]}" if options[name] else f"--{name}" for name in LOCAL if name in options]
    view = subprocess.Popen([profile.find_command(), "top", directory, *words])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, lambda number, _: view.send_signal(number))
    status = view.wait()
    return status if status >= 0 else 128 - status


def main(options: dict[str, str], operands: list[str]) -> int | str:
    scheduler = commands.only_operand(operands)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))  # the directory is removed
    with tempfile.TemporaryDirectory(prefix="cupping-top-") as directory:
        collector = commands.start_collector(scheduler, options, directory, seconds=2.0)
        try:
            commands.wait_for_log(collector, scheduler)
            return show(directory, options)
        finally:
            collector.stop(10)
