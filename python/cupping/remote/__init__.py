"""cupping on a Dask cluster that somebody else started: what the verbs attach and collect share.

The workers' machines do not have this package. Functions and plugins that run there travel as the
source text of their module (by_source.py), so such a module imports only Python's and Dask's.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import unicodedata
from pathlib import Path

from ..profile import Error

CONNECT_S = 5  # until the scheduler's port accepts a connection
HANDSHAKE_S = 10  # longer, because a scheduler may be busy


class UsageError(Error):
    """The command line is wrong."""


def new_directory() -> Path:
    """The name of a profile directory that is not there yet."""
    name = time.strftime("cupping-%Y%m%d-%H%M%S")
    return next(path for path in map(Path, [name, *(f"{name}-{i}" for i in range(2, 1000))]) if not path.exists())


def read_words(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """What the command `cupping` passes on, once it has checked it: {option: its value, or ""}, and
    the operands behind "--"."""
    end = words.index("--")
    options = dict(word.lstrip("-").partition("=")[::2] for word in words[:end])
    return options, words[end + 1:]


def clean(text: str) -> str:
    """TEXT without control characters, since parts of it may come from any machine of the cluster."""
    return "".join("?" if unicodedata.category(character) == "Cc" else character for character in text)


def say(text: str) -> None:
    """One line for the user, on standard error."""
    print(f"cupping: {clean(text)}", file=sys.stderr, flush=True)


async def check_scheduler(scheduler: str, arguments: dict) -> None:
    """Dask's client tries a wrong address again and again, for half a minute or for ever, so a
    connection is tried here first. ARGUMENTS: of distributed.comm.connect(). Raises cupping.Error."""
    from distributed.comm import connect, get_address_host_port, normalize_address

    address = normalize_address(scheduler)
    host, port = get_address_host_port(address, strict=True)
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), CONNECT_S)
        writer.close()
    except asyncio.TimeoutError:
        raise Error(f"{scheduler}: no answer within {CONNECT_S} s: is the address right?") from None
    except OSError as problem:
        why = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else problem.strerror
        raise Error(f"{scheduler}: {why or problem}: is the scheduler running there?") from None
    try:
        comm = await asyncio.wait_for(connect(address, timeout=HANDSHAKE_S, **arguments), HANDSHAKE_S)
    except Exception:  # another server's bytes may be taken for anything
        raise Error(f"{scheduler}: it does not answer as a Dask scheduler: is it another server's port, or does it "
                    "need tls://?") from None
    comm.abort()


def connect(scheduler: str, options: dict[str, str]):
    """A client of the cluster, with the certificates that the options name, else those of Dask's
    configuration. Raises OSError, or cupping.Error if there is no scheduler."""
    from distributed import Client
    from distributed.security import Security

    names = {"tls-ca-file": "tls_ca_file", "tls-cert": "tls_client_cert", "tls-key": "tls_client_key"}
    given = {names[option]: value for option, value in options.items() if option in names}
    security = Security(require_encryption=True, **given) if given else Security()
    arguments = security.get_connection_args("client")
    if scheduler.startswith("tls://") and not arguments.get("ssl_context"):
        raise Error(f"{scheduler} needs certificates: --tls-ca-file, --tls-cert and --tls-key, or those of "
                    "Dask's configuration")
    try:
        asyncio.run(check_scheduler(scheduler, arguments))
        return Client(scheduler, security=security, set_as_default=False)
    except (TypeError, ValueError) as problem:  # an address that Dask does not understand
        if scheduler.startswith("gateway://"):
            problem = "only `with cupping.attach(client)` in Python reaches a cluster behind a Dask Gateway"
        raise UsageError(f"{scheduler}: {problem}; an address is tcp://HOST:PORT or tls://HOST:PORT") from None
