"""cupping on a Dask cluster that somebody else started: what the verbs attach and collect share.

The workers' machines do not have this package. Functions and plugins that run there travel as the
source text of their module (by_source.py), so such a module imports only Python's and Dask's.
"""

from __future__ import annotations

import sys

from ..profile import Error


def read_words(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """What the command `cupping` passes on, once it has checked it: {option: its value, or ""}, and
    the operands behind "--"."""
    end = words.index("--")
    options = dict(word.lstrip("-").partition("=")[::2] for word in words[:end])
    return options, words[end + 1:]


def say(text: str) -> None:
    """One line for the user, on standard error."""
    print(f"cupping: {text}", file=sys.stderr, flush=True)


def connect(scheduler: str, options: dict[str, str]):
    """A client of the cluster, with the certificates that the options name, else those of Dask's
    configuration. Raises OSError or cupping.Error."""
    from distributed import Client
    from distributed.security import Security

    names = {"tls-ca-file": "tls_ca_file", "tls-cert": "tls_client_cert", "tls-key": "tls_client_key"}
    given = {names[option]: value for option, value in options.items() if option in names}
    security = Security(require_encryption=True, **given) if given else Security()
    if scheduler.startswith("tls://") and not security.get_connection_args("client").get("ssl_context"):
        raise Error(f"{scheduler} needs certificates: --tls-ca-file, --tls-cert and --tls-key, or those of "
                    "Dask's configuration")
    try:
        return Client(scheduler, security=security, set_as_default=False)
    except (TypeError, ValueError) as problem:  # an address that Dask does not understand
        raise Error(f"{scheduler}: {problem}") from None
