"""Restarts workers, a few at a time, each in its turn (turns.py). The client's side."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask.config

from . import by_source, turns

SHARE = 10  # of so many workers, one has its turn
MOST_THREADS = 64
AGAIN_S = 0.2
MOST_PAUSE_S = 2.0  # each question costs the scheduler a millisecond or two

WAITS_FOR = {"tasks": "it ran tasks", "results": "it held results that no other worker could take"}


def remote(name: str) -> Any:
    return by_source.Function(turns.__name__, name)


class Restarts:
    """lose_results: also restart workers that run tasks or hold results. wait_s: how long to wait for
    each worker's tasks to end and its results to be copied; then the worker is not restarted."""

    def __init__(self, client, *, at_once: bool, lose_results: bool, wait_s: float):
        self.client, self.at_once, self.lose_results, self.wait_s = client, at_once, lose_results, wait_s

    def list_workers(self) -> dict[str, str | None]:
        return self.client.run_on_scheduler(remote("list_workers"))

    def restart(self, workers: dict[str, str]) -> dict[str, str]:
        """WORKERS: {address: nanny}. Returns {address: why} of those that were left as they are."""
        if not workers:
            return {}
        at_a_time = len(workers) if self.at_once else max(1, len(workers) // SHARE)
        # The cluster object may be in this process, and the scheduler elsewhere.
        with dask.config.set({turns.LOST_AFTER: turns.LONG}), \
                ThreadPoolExecutor(min(at_a_time, MOST_THREADS), "cupping-restart") as threads:
            left = threads.map(self._take_turn, workers.keys(), workers.values())
            return {worker: why for worker, why in zip(workers, left) if why}

    def _take_turn(self, worker: str, nanny: str) -> str | None:
        """Returns when the next worker may have its turn: this one's results would find no place as long
        as that one is away."""
        until, pause = time.monotonic() + self.wait_s, AGAIN_S
        try:
            while (reason := self._try(worker)) not in ("restarted", "gone"):
                if time.monotonic() > until:
                    self._give_up(worker)
                    return f"{WAITS_FOR[reason]} for {self.wait_s:g} s (--wait, or --lose-results)"
                time.sleep(pause)
                pause = min(MOST_PAUSE_S, 1.5 * pause)
        except (OSError, KeyError, ValueError) as problem:  # KeyError: it left in the middle
            if worker in self.list_workers():
                self._give_up(worker)
                return f"its restart failed ({type(problem).__name__}: {problem})"
        return self._await_back(nanny)

    def _try(self, worker: str) -> str:
        if self.lose_results:
            return self._end(worker, [])
        if why_not := self.client.run_on_scheduler(remote("begin_turn"), worker):
            return why_not
        tasks = self._look(worker, may_beat=False)
        reason = "tasks" if tasks["busy"] else self._end(worker, tasks["finished"])
        if reason not in ("restarted", "gone"):
            self._look(worker, may_beat=True)
        return reason

    def _look(self, worker: str, may_beat: bool) -> dict:
        return self.client.run(remote("look_at_tasks"), may_beat, workers=[worker])[worker]

    def _end(self, worker: str, finished: list) -> str:
        return self.client.run_on_scheduler(remote("end_turn"), worker, finished, self.lose_results)

    def _give_up(self, worker: str) -> None:
        self.client.run_on_scheduler(remote("give_up_turn"), worker)

    def _await_back(self, nanny: str) -> str | None:
        """Waits until the nanny has a worker again, or is gone itself."""
        until = time.monotonic() + turns.BACK_S
        while self.client.run_on_scheduler(remote("is_without_worker"), nanny):
            if time.monotonic() > until:
                return f"its nanny did not start a new process within {turns.BACK_S} s"
            time.sleep(AGAIN_S)
        return None
