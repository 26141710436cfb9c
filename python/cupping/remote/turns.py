"""Restarting workers of a busy cluster without losing results. This module's source is sent to the
scheduler and to workers (by_source.py), so it imports only Python and Dask.

One worker's turn: it gets no more tasks, and the scheduler copies its results to other workers; the
tasks that run end; then the scheduler forgets the worker, so that the tasks that wait there go
elsewhere without counting as failed (`allowed-failures`), and the nanny starts a new process.
"""

from __future__ import annotations

import inspect
import time

STIMULUS = "cupping-attach"


# --- on the scheduler ---


def list_workers(dask_scheduler) -> dict:
    """{address: its nanny, or None} of the workers, and the clients that are connected."""
    return {"workers": {address: worker.nanny for address, worker in dask_scheduler.workers.items()},
            "clients": list(dask_scheduler.clients)}


def send_status(scheduler, address: str, status: str) -> None:
    scheduler.stream_comms[address].send({"op": "worker-status-change", "status": status,
                                          "stimulus_id": f"{STIMULUS}-{time.time()}"})


async def begin_turn(address: str, dask_scheduler) -> bool:
    """False: no other worker can take its results, so it goes on as before."""
    if address not in dask_scheduler.workers:
        return False
    moved = await dask_scheduler.retire_workers([address], close_workers=False, remove=False)
    return address in moved


def give_up_turn(address: str, dask_scheduler) -> None:
    if address in dask_scheduler.workers:
        send_status(dask_scheduler, address, "running")


async def end_turn(address: str, finished: list, lose_results: bool, dask_scheduler) -> str:
    """Restarts the worker. FINISHED: keys of its tasks that have ended. Returns "restarted", or why
    it is not time: a word of WAITS_FOR."""
    worker = dask_scheduler.workers.get(address)
    if worker is None:
        return "gone"
    if not lose_results:
        finished = set(finished)
        if worker.actors or any(task.key in finished for task in worker.processing):
            return "tasks"  # an actor, or an end that the scheduler does not know yet
        if any(len(task.who_has) < 2 for task in worker.has_what):
            return "results"
    nanny = worker.nanny
    parameters = inspect.signature(dask_scheduler.remove_worker).parameters
    expected = {name: True for name in ("expected", "safe") if name in parameters}
    await dask_scheduler.remove_worker(address, stimulus_id=f"{STIMULUS}-{time.time()}", close=False,
                                       **expected)
    await dask_scheduler.rpc(nanny).restart(reason=STIMULUS)
    return "restarted"


# --- on the worker ---


def look_at_tasks(may_beat: bool, dask_worker) -> dict:
    """How many tasks run, and which have ended. Without MAY_BEAT the worker sends no heartbeats: the
    answer to one, once the scheduler has forgotten the worker, would end its nanny, too."""
    beats = dask_worker.periodic_callbacks["heartbeat"]
    if may_beat:
        beats.start()
    else:
        beats.stop()
    states = [(key, task.state) for key, task in dask_worker.state.tasks.items()]
    busy = sum(state in ("executing", "long-running", "cancelled", "resumed") for _, state in states)
    return {"busy": busy + bool(getattr(dask_worker, "heartbeat_active", False)),
            "finished": [key for key, state in states if state in ("memory", "error", "rescheduled")]}
