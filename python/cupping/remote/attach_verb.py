"""cupping attach SCHEDULER -o DIR -- COMMAND..."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from .. import profile
from . import connect, ship
from .attach import WAIT_S, Attachment


def run_command(words: list[str], directory: Path) -> int:
    """The command under cupping-run, so that the client's own log is in the profile, too."""
    library = ship.find_library()
    environment = {**os.environ, "CUPPING_DIR": str(directory),
                   "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')}:{library}".lstrip(":")}
    try:
        process = subprocess.Popen(words, env=environment)
    except FileNotFoundError:
        raise profile.Error(f"{words[0]}: command not found") from None
    with signals_for(process):
        status = process.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def signals_for(process: subprocess.Popen):
    """Ctrl-C and Ctrl-\\ reach the command from the terminal, and it ends as it likes; other requests to end
    are passed on. Then the workers are released."""

    def leave(*_: Any) -> None:
        pass

    def pass_on(number: int, _: Any) -> None:
        process.send_signal(number)

    handlers = {signal.SIGINT: leave, signal.SIGQUIT: leave, signal.SIGTERM: pass_on, signal.SIGHUP: pass_on}
    before = {number: signal.getsignal(number) for number in handlers}
    taken = [number for number in handlers if before[number] not in (signal.SIG_IGN, None)]  # None: not Python's
    for number in taken:
        signal.signal(number, handlers[number])
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def main(options: dict[str, str], operands: list[str]) -> int | str:
    scheduler, *command = operands
    if not command:
        return "cupping: attach: name the command that uses the cluster: cupping attach SCHEDULER -- COMMAND..."
    try:
        wait_s = float(options.get("wait", WAIT_S))
    except ValueError:
        return f"cupping: attach: --wait {options['wait']}: not a number of seconds"
    with connect(scheduler, options) as client:
        with Attachment(client, options.get("o"), at_once="at-once" in options,
                        lose_results="lose-results" in options, wait_s=wait_s) as attached:
            return run_command(command, attached.directory)
