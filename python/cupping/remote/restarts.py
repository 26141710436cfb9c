"""Restarts workers, a few at a time, each in its turn (turns.py). The client's side."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import by_source, say, turns

SHARE = 10  # of so many workers, one has its turn
MOST_THREADS = 64
AGAIN_S = 0.2
BACK_S = 300  # a worker's new process must be there after so many seconds

WAITS_FOR = {"tasks": "it ran tasks", "results": "it held results that no other worker could take"}


def remote(name: str) -> Any:
    return by_source.Function(turns.__name__, name)


class Restarts:
    """lose_results: also restart workers that run tasks or hold results. wait_s: how long to wait for
    each worker's tasks to end and its results to be copied; then the worker is not restarted."""

    def __init__(self, client, *, at_once: bool, lose_results: bool, wait_s: float):
        self.client, self.at_once, self.lose_results, self.wait_s = client, at_once, lose_results, wait_s

    def list_workers(self) -> dict[str, str | None]:
        return self.client.run_on_scheduler(remote("list_workers"))["workers"]

    def restart(self, workers: dict[str, str]) -> dict[str, str]:
        """WORKERS: {address: nanny}. Returns {address: why} of those that were left as they are."""
        if not workers:
            return {}
        at_a_time = len(workers) if self.at_once else max(1, len(workers) // SHARE)
        with ThreadPoolExecutor(min(at_a_time, MOST_THREADS), "cupping-restart") as threads:
            left = dict(zip(workers, threads.map(self._take_turn, workers)))
        left = {worker: why for worker, why in left.items() if why}
        self._await_back({worker: nanny for worker, nanny in workers.items() if worker not in left}, left)
        return left

    def _take_turn(self, worker: str) -> str | None:
        until = time.monotonic() + self.wait_s
        try:
            while True:
                reason = self._try(worker)
                if reason in ("restarted", "gone"):
                    return None
                if time.monotonic() > until:
                    self._give_up(worker)
                    return f"{WAITS_FOR[reason]} for {self.wait_s:g} s (--wait, or --lose-results)"
                time.sleep(AGAIN_S)
        except (OSError, KeyError, ValueError) as problem:  # the worker went away in the middle
            say(f"{worker}: {type(problem).__name__} while it was restarted")
            return None

    def _try(self, worker: str) -> str:
        if self.lose_results:
            return self._end(worker, [])
        if not self.client.run_on_scheduler(remote("begin_turn"), worker):
            return "results"
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

    def _await_back(self, nannies: dict[str, str], left: dict[str, str]) -> None:
        """Waits until each nanny has a worker again."""
        until = time.monotonic() + BACK_S
        while True:
            now = set(self.list_workers().values())
            missing = {worker: nanny for worker, nanny in nannies.items() if nanny not in now}
            if not missing or time.monotonic() > until:
                break
            time.sleep(AGAIN_S)
        for worker in missing:
            left[worker] = f"its nanny did not start a new process within {BACK_S} s"
