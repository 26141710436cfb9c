"""with cupping.attach(client) as profile: profiles the workers of a Dask cluster that runs already."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import Any

from ..profile import Profile
from . import by_source, collected, plugin, say, ship


def remote(name: str) -> Any:
    return by_source.Function(plugin.__name__, name)


def make_directory(directory: str | os.PathLike | None) -> Path:
    path = Path(directory if directory is not None else time.strftime("cupping-%Y%m%d-%H%M%S"))
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.resolve()


class Attachment:
    """An attached cluster: `refused` says which workers are not profiled, {address: why}."""

    def __init__(self, client, directory: str | os.PathLike | None = None, *, at_once: bool = False,
                 lose_results: bool = False, settings: dict[str, str] | None = None):
        self.client, self.at_once, self.lose_results = client, at_once, lose_results
        self.directory = make_directory(directory)
        self.settings = settings or {}
        self.name = uuid.uuid4().hex[:12]
        self.refused: dict[str, str] = {}
        self._collector: Any = None

    # --- the two ends ---

    def __enter__(self) -> Attachment:
        self._register()
        self._restart_workers(preloaded=True)
        self._start_collector()
        self._write_collected()
        for worker, why in self.refused.items():
            say(f"{worker} is not profiled: {why}")
        return self

    def __exit__(self, *error) -> None:
        self.detach()

    def detach(self) -> None:
        """Restarts the workers without the library, and fetches what is missing of their logs."""
        self._unregister()
        self._restart_workers(preloaded=False)
        if self._collector is not None:
            self._collector.stop()
        self._write_collected()

    # --- the plugin ---

    def _register(self) -> None:
        sent = plugin.Plugin(ship.pack(), self.name, self.client.id, self.settings)
        register = getattr(self.client, "register_plugin", None) or self.client.register_worker_plugin
        register(sent, name=plugin.NAME)

    def _unregister(self) -> None:
        self.client.unregister_worker_plugin(plugin.NAME, nanny=True)

    def _states(self) -> dict[str, dict]:
        """What each nanny says, by the address of its worker."""
        return self.client.run(remote("state_of"), nanny=True, on_error="ignore")

    def _restart_workers(self, preloaded: bool) -> None:
        info = self.client.scheduler_info(n_workers=-1)["workers"] if _takes_count(self.client) else \
            self.client.scheduler_info()["workers"]
        for address, worker in info.items():
            if not worker.get("nanny"):
                self.refused[address] = "it has no nanny (--no-nanny), which would have to restart it"
        states = self._states()
        self.refused.update({address: state["why"] for address, state in states.items() if state["why"]})
        wrong = [address for address, state in states.items()
                 if not state["why"] and state["preloaded"] != preloaded]
        if wrong:
            self.client.restart_workers(wrong)

    # --- what is known here ---

    def _start_collector(self) -> None:
        try:
            from .collect import Collector
        except ImportError:
            return
        self._collector = Collector(self.client, self.directory)
        self._collector.start()

    def _write_collected(self) -> None:
        collected.update(self.directory, refused=[{"worker": worker, "why": why}
                                                  for worker, why in sorted(self.refused.items())])

    # --- as a profile ---

    @property
    def profile(self) -> Profile:
        """The profile so far; raises cupping.Error as long as there is no log."""
        return Profile(self.directory)

    def report(self, section: str | None = None, *, full: bool = False):
        """The report: before the end of the `with` it is that of the run so far."""
        return self.profile.report(section, full=full)

    def __repr__(self) -> str:
        return f"<cupping attachment {self.directory}>"


def _takes_count(client) -> bool:
    import inspect

    return "n_workers" in inspect.signature(type(client).scheduler_info).parameters
