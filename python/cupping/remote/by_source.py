"""Objects that are pickled together with the source of their module, for machines without it.

Python code, and not the bytes of compiled code: the interpreters may differ. Only the client pickles
them; what arrives is an ordinary object of a module without a name.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

# Dask unpickles this as a call of eval() with the dictionary as its globals.
RUN_SOURCE = "exec(source, globals()) or rebuild(globals()[name], state)"


def reduce_by_source(module: str, name: str, state: dict[str, Any] | None = None):
    """For __reduce__: the object NAME of MODULE; if STATE is given, an instance of that class."""
    source = inspect.getsource(sys.modules[module])
    return eval, (RUN_SOURCE, {"source": source, "name": name, "state": state,
                               "rebuild": Rebuild(), "__name__": f"{module}_by_source"})


class Rebuild:
    """rebuild(kind, state) on the other side. Written as builtins, because it is not there, either."""

    def __reduce__(self):
        return eval, ("lambda kind, state: kind if state is None else kind(**state)", {})


class Function:
    """A function of a module, as client.run() and client.run_on_scheduler() send it."""

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name

    def __reduce__(self):
        return reduce_by_source(self.module, self.name)
