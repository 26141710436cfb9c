"""cupping attach SCHEDULER -o DIR -- COMMAND..."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from .. import profile
from . import UsageError, commands, connect, say, ship
from .attach import NO_SETTINGS, WAIT_S, Attachment
from .collect import LIMIT_BYTES


def start_command(words: list[str], environment: dict[str, str]) -> subprocess.Popen:
    try:
        return subprocess.Popen(words, env=environment)
    except FileNotFoundError:
        raise profile.Error(f"{words[0]}: command not found") from None
    except OSError as problem:
        if problem.errno != errno.ENOEXEC:
            raise
    # A script without "#!": as execvp(), and so `cupping run`, starts it.
    return subprocess.Popen(["/bin/sh", shutil.which(words[0]), *words[1:]], env=environment)


def run_command(words: list[str], directory: Path) -> int:
    """The command under cupping-run, so that the client's own log is in the profile, too."""
    library = ship.find_library()
    environment = {**os.environ, "CUPPING_DIR": str(directory),
                   "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')}:{library}".lstrip(":")}
    process, early = None, []

    def pass_on(number: int, _: Any) -> None:
        if process is None:
            early.append(number)  # it is just being started
        else:
            process.send_signal(number)

    with signals_to(pass_on):
        process = start_command(words, environment)
        for number in early:
            process.send_signal(number)
        status = process.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def signals_to(pass_on: Any):
    """Ctrl-C and Ctrl-\\ reach the command from the terminal, and it ends as it likes; other requests to end
    are passed on. Then the workers are released."""

    def leave(*_: Any) -> None:
        pass

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


def read_settings() -> dict[str, str]:
    """The variables of this process that the workers get, too."""
    return {name: value for name, value in os.environ.items() if name.startswith("CUPPING_") and name not in NO_SETTINGS}


def read_wait(options: dict[str, str]) -> float:
    try:
        return float(options.get("wait", WAIT_S))
    except ValueError:
        raise UsageError(f"--wait {options['wait']}: not a number of seconds") from None


def check_library() -> None:
    library = ship.find_library()
    if any(character in str(library) for character in ": "):
        raise profile.Error(f"LD_PRELOAD splits at blanks and colons, so {library} cannot be preloaded: install cupping "
                            "elsewhere")


def catch_ends(handler: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def end_by_signal(number: int, _: Any) -> None:
    """The workers are released on the way out, which further signals do not end."""
    catch_ends(signal.SIG_IGN)
    raise SystemExit(128 + number)


def main(options: dict[str, str], operands: list[str]) -> int | str:
    scheduler, *command = operands
    if not command:
        raise UsageError("name the command that uses the cluster: cupping attach SCHEDULER -- COMMAND...")
    wait_s = read_wait(options)
    limit = commands.read_size(options["limit"]) if "limit" in options else LIMIT_BYTES
    check_library()  # this and the next before any worker is restarted
    if not shutil.which(command[0]):
        exists = os.path.exists(command[0])
        say(f"attach: {command[0]}: {'not an executable program' if exists else 'command not found'}")
        return 126 if exists else 127
    catch_ends(end_by_signal)
    with connect(scheduler, options) as client:
        with Attachment(client, options.get("o"), at_once="at-once" in options,
                        lose_results="lose-results" in options, wait_s=wait_s, limit_bytes=limit,
                        settings=read_settings()) as attached:
            status = run_command(command, attached.directory)
            catch_ends(signal.SIG_IGN)
            return status
