"""cupping collect SCHEDULER -o DIR"""

from __future__ import annotations

import math
import signal
import threading
import time

from . import commands, new_directory, say
from .collect import LIMIT_BYTES


def main(options: dict[str, str], operands: list[str]) -> int | str:
    scheduler = commands.only_operand(operands)
    limit = commands.read_size(options["limit"]) if "limit" in options else LIMIT_BYTES
    directory = options.get("o") or str(new_directory())
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    collector = commands.start_collector(scheduler, options, directory, limit_bytes=limit)
    nannies = len(collector.nannies)
    say(f"logs of {nannies} {'nanny comes' if nannies == 1 else 'nannies come'} to {directory}, until the cluster ends or Ctrl-C")
    patient_until = time.monotonic() + commands.FIRST_LOG_S
    while collector.thread.is_alive() and not ended.wait(0.2):
        if time.monotonic() > patient_until:
            patient_until = math.inf
            if collector.nannies and not collector.copies and not collector.shares_directory():
                say(f"{scheduler}: no worker writes a log yet; start workers, with nannies, under cupping-run")
    part = collector.stop()
    logs = sum(copy.ready for copy in collector.copies.values())
    say(f"{logs} {'log is' if logs == 1 else 'logs are'} in {directory}" + (f"; {len(part)} are incomplete" if part else ""))
    if collector.full or collector.problem:
        return 1  # what is missing was said when it happened
    return 0 if logs else "cupping: collect: no worker with a nanny was profiled; start it under cupping-run"
