"""with cupping.attach(client) as profile: profiles the workers of a Dask cluster that runs already."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import uuid
from pathlib import Path
from typing import Any

from ..profile import Error, Profile
from . import by_source, claims, new_directory, plugin, say, ship
from .collect import LIMIT_BYTES, Collector
from .restarts import AGAIN_S, Restarts

WAIT_S = 60.0
ABSENT_S = 2.0  # for a nanny that is alone
READY_S = 2 * plugin.CHECK_SECONDS  # until a nanny has installed the library
STARTING_S = 60  # at the end, for nannies that are just starting
OLDEST_DISTRIBUTED = (2024, 2)
NO_SETTINGS = ("CUPPING_DIR", "CUPPING_DISABLE", "CUPPING_VERBOSE")  # of the workers


def remote(name: str) -> Any:
    return by_source.Function(plugin.__name__, name)


def on_scheduler(name: str) -> Any:
    return by_source.Function(claims.__name__, name)


def make_directory(directory: str | os.PathLike | None) -> Path:
    """Without a name it is a new one."""
    path = Path(directory) if directory is not None else new_directory()
    path.mkdir(mode=0o700, parents=True, exist_ok=directory is not None)
    return path.resolve()


def check_client(client) -> None:
    import distributed

    version = distributed.__version__
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_DISTRIBUTED:
        raise Error(f"attach needs distributed 2024.2 or newer, and this is {version}: start the workers under "
                    "cupping-run instead")
    if client.asynchronous:
        raise Error("attach needs a client that is not asynchronous: Client(address)")


def check_settings(settings: dict) -> dict[str, str]:
    """As text: Dask fails to start a worker with anything else in its environment."""
    for name in settings:
        if not str(name).startswith("CUPPING_") or name in NO_SETTINGS:
            raise Error(f"settings: {name} cannot be set for workers: name variables of cupping, such as CUPPING_READS")
    return {str(name): str(value) for name, value in settings.items()}


class Attachment:
    """A cluster whose workers are profiled, from the beginning of a `with` to its end.

    directory: where the profile is. refused: {address of a worker: why it is not profiled}. at_once,
    lose_results, wait_s, limit_bytes: the options of `cupping attach`. settings: CUPPING_* for the workers.
    """

    attached: set[str] = set()  # ids of this process's clients that have attached, and not ended it

    def __init__(self, client, directory: str | os.PathLike | None = None, *, at_once: bool = False,
                 lose_results: bool = False, wait_s: float = WAIT_S, limit_bytes: int = LIMIT_BYTES,
                 settings: dict[str, object] | None = None):
        check_client(client)
        self.settings = check_settings(settings or {})
        self.client = client
        self.restarts = Restarts(client, at_once=at_once, lose_results=lose_results, wait_s=wait_s)
        self.directory = make_directory(directory)
        self.limit_bytes = limit_bytes
        self.name = uuid.uuid4().hex[:12]
        self.refused: dict[str, str] = {}
        self._collector: Collector | None = None
        self._attached = False
        self._registering = False

    # --- the two ends ---

    def __enter__(self) -> Attachment:
        self._claim_cluster()
        self._attached = True
        self.attached.add(self.client.id)
        try:
            self._register()
            self._begin()
        except BaseException:
            with contextlib.suppress(Exception):  # the first problem is the one to show
                self.detach()
            raise
        return self

    def _begin(self) -> None:
        for worker, nanny in self.restarts.list_workers().items():
            if not nanny:
                self.refused[worker] = "it has no nanny (--no-nanny), which would have to restart it"
        # Before the restarts, so that a worker that joins and leaves during them is known.
        self._collector = Collector(self.client, self.directory, refused=self.refused, limit_bytes=self.limit_bytes)
        self._collector.counts_wait = True
        self._collector.start()
        states = self._states()
        self._collector.leave_out({worker for worker, state in states.items() if not state["preloaded"]})
        self.refused.update({worker: state["why"] for worker, state in states.items() if state["why"]})
        self.refused.update(self.restarts.restart({worker: state["nanny"] for worker, state in states.items()
                                                   if not state["why"] and not state["preloaded"]}))
        for worker, state in self._states().items():
            if not state["why"] and not state["preloaded"]:
                self.refused.setdefault(worker, "its process does not have the library")
        for worker, why in sorted(self.refused.items()):
            say(f"{worker} is not profiled: {why}")

    def __exit__(self, *error) -> None:
        self.detach()

    def detach(self) -> None:
        """Restarts the workers without the library, and fetches what is missing of their logs."""
        if not self._attached:
            return
        folders: dict[str, str] = {}
        try:
            folders = self._release_workers()
        except Exception as problem:  # the cluster is gone, or the client was closed
            say(f"the workers were not released: {type(problem).__name__}: {problem}")
        if self._collector is not None:
            self._collector.stop()
            self._forget_logs(folders)
        with contextlib.suppress(Exception):  # the cluster is gone
            self.client.run_on_scheduler(on_scheduler("release"), self.client.id)
        self._attached = False  # now: if Ctrl-C came before, detach() can be called again
        self.attached.discard(self.client.id)

    def _forget_logs(self, folders: dict[str, str]) -> None:
        """Removes the logs that are here, and says where others stay. FOLDERS: {nanny: folder}; nannies of one
        process share a folder."""
        kept = {folder: nanny for nanny, folder in folders.items() if not self._collector.has_all_of(nanny)}
        for folder, nanny in kept.items():
            say(f"logs stay on the machine of {nanny}, in {folder}: not all of them could be fetched")
        fetched = {nanny: folder for nanny, folder in folders.items() if folder not in kept}
        try:
            if fetched:
                self._ask_nannies("forget", fetched)
        except Exception as problem:  # the cluster is gone
            say(f"logs that were fetched may also stay on the workers' machines: {type(problem).__name__}: {problem}")

    def _release_workers(self) -> dict[str, str]:
        """Returns {nanny: folder of its logs} where no worker writes any more."""
        try:
            if self._collector is not None:
                self._collector.finish_counting()
                self._collector.fetch_forwarded()
        finally:  # else every worker that comes later would be profiled
            self._unregister()
        states = self._states()
        left = self.restarts.restart({worker: state["nanny"] for worker, state in states.items()
                                      if state["ours"]})
        for worker, why in left.items():
            say(f"{worker} stays profiled until it ends: {why}")
        used = {states[worker]["folder"] for worker in left}
        return {state["nanny"]: state["folder"] for state in states.values() if state["folder"] not in {None, *used}}

    # --- the plugin ---

    def _claim_cluster(self) -> None:
        """One attachment at a time: a second one would end with the first. One whose client has died
        is taken over, and so is one of this client that went wrong."""
        owner = self.client.id if self.client.id in self.attached else \
            self.client.run_on_scheduler(on_scheduler("claim"), self.client.id)
        if owner:
            raise Error(f"another client has attached to this cluster ({owner}): end it first")

    def _register(self) -> None:
        sent = plugin.Plugin(ship.pack(), self.name, self.settings)
        self._registering = True  # also after Ctrl-C: Dask goes on
        try:
            self.client.register_plugin(sent, name=plugin.NAME)
        except OSError:  # a nanny left at that moment; Dask goes on with the others
            until = time.monotonic() + READY_S
            while time.monotonic() < until and not all(state["ready"] for state in self._states().values()):
                time.sleep(AGAIN_S)
        self._registering = False

    def _unregister(self) -> None:
        with contextlib.suppress(Exception):  # a nanny left at that moment, or never had it
            self.client.unregister_worker_plugin(plugin.NAME, nanny=True)
        with contextlib.suppress(Exception):  # the scheduler has left; a Dask where nannies start in another way
            if not self.client.run_on_scheduler(on_scheduler("await_starting_nannies"), STARTING_S, self._registering):
                say(f"some nannies did not start within {STARTING_S} s: their workers may stay profiled until they end")
        with contextlib.suppress(Exception):  # the scheduler has left
            self._ask_nannies("remove_plugin", self.name)  # those that were not asked yet, or got it since
            self.client.sync(self._release_absent, set(self.restarts.list_workers().values()))

    async def _release_absent(self, asked: set[str | None]) -> None:
        """Nannies whose worker is just being restarted are not among those that the scheduler asks."""
        known = list(self._collector.nannies.values()) if self._collector is not None else []
        await asyncio.gather(*(self._release_nanny(nanny.address) for nanny in known
                               if not nanny.ended and nanny.address not in asked), return_exceptions=True)

    async def _release_nanny(self, address: str) -> None:
        """Fails if it has left, or if only the scheduler reaches it."""
        from distributed.core import rpc

        async with rpc(address, timeout=ABSENT_S, connection_args=self.client.connection_args) as server:
            await asyncio.wait_for(server.plugin_remove(name=plugin.NAME), ABSENT_S)

    def _states(self) -> dict[str, dict]:
        """What each nanny says, by the address of its worker."""
        return self._ask_nannies("state_of", self.name)

    def _ask_nannies(self, name: str, *words: Any) -> dict[str, Any]:
        """What a function of plugin.py returns in each nanny, by the address of its worker. Workers that
        leave at that moment are left out."""
        while True:
            workers = [worker for worker, nanny in self.restarts.list_workers().items() if nanny]
            try:
                answers = self.client.run(remote(name), *words, nanny=True, workers=workers, on_error="ignore")
            except KeyError:  # one left between the two questions
                continue
            return {worker: answer for worker, answer in answers.items() if answer}

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

