"""cupping attach SCHEDULER -o DIR -- COMMAND..."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .. import profile
from . import connect, ship
from .attach import WAIT_S, Attachment


def run_command(words: list[str], directory: Path) -> int:
    """The command under cupping-run, so that the client's own log is in the profile, too."""
    library = ship.find_library()
    environment = {**os.environ, "CUPPING_DIR": str(directory),
                   "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')}:{library}".lstrip(":")}
    try:
        status = subprocess.run(words, env=environment, check=False).returncode
    except FileNotFoundError:
        raise profile.Error(f"{words[0]}: command not found") from None
    return status if status >= 0 else 128 - status


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
