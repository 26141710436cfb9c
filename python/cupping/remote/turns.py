"""Restarting workers of a busy cluster without losing results. This module's source is sent to the
scheduler and to workers (by_source.py), so it imports only Python and Dask.

One worker's turn: it gets no more tasks, and the scheduler copies its results to other workers; the
tasks that run end; then the scheduler forgets the worker, so that the tasks that wait there go
elsewhere without counting as failed (`allowed-failures`), and the nanny starts a new process.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time

import dask.config
from distributed.comm import connect

STIMULUS = "cupping-attach"
BACK_S = 300  # a worker's new process must be there after so many seconds
CONNECT_S = 10
LOST_AFTER = "distributed.deploy.lost-worker-timeout"
LONG = f"{BACK_S}s"
LEASE_S = 120  # a turn whose client is silent for so long, as one that was killed, is given back


# --- on the scheduler ---


def list_workers(dask_scheduler) -> dict:
    """{address: its nanny, or None} of the workers."""
    return {address: worker.nanny for address, worker in dask_scheduler.workers.items()}


def send_status(scheduler, address: str, status: str) -> None:
    scheduler.stream_comms[address].send({"op": "worker-status-change", "status": status,
                                          "stimulus_id": f"{STIMULUS}-{time.time()}"})


async def begin_turn(address: str, dask_scheduler) -> str | None:
    """Why its turn cannot begin: "gone", or "results" if no other worker can take them; then it goes
    on as before."""
    worker = dask_scheduler.workers.get(address)
    if worker is None:
        return "gone"
    if not dask_scheduler.running - {worker} and any(len(task.who_has) < 2 for task in worker.has_what):
        return "results"  # Dask would log a warning each time
    moved = await dask_scheduler.retire_workers([address], close_workers=False, remove=False)
    lease = vars(dask_scheduler).setdefault("cupping_leases", {})[address] = object()
    asyncio.get_running_loop().call_later(LEASE_S, give_back, address, lease, dask_scheduler)
    return None if address in moved else "results"


def give_back(address: str, lease: object, dask_scheduler) -> None:
    """Unless the client has asked again since."""
    if dask_scheduler.cupping_leases.get(address) is lease:
        give_up_turn(address, dask_scheduler)


def give_up_turn(address: str, dask_scheduler) -> None:
    vars(dask_scheduler).get("cupping_leases", {}).pop(address, None)
    if address in dask_scheduler.workers:
        send_status(dask_scheduler, address, "running")


@contextlib.contextmanager
def wait_for_lost_workers(scheduler):
    """A cluster object of this process (LocalCluster, dask-jobqueue) closes a worker that does not come
    back within Dask's LOST_AFTER. It reads that setting when a worker goes, so all turns that overlap
    share the long one."""
    turns = vars(scheduler).setdefault("cupping_turns", {"number": 0, "setting": None})
    if not turns["number"]:
        turns["setting"] = dask.config.set({LOST_AFTER: LONG})
    turns["number"] += 1
    try:
        yield
    finally:
        turns["number"] -= 1
        if not turns["number"]:
            turns["setting"].__exit__(None, None, None)


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
    vars(dask_scheduler).get("cupping_leases", {}).pop(address, None)
    parameters = inspect.signature(dask_scheduler.remove_worker).parameters
    expected = {name: True for name in ("expected", "safe") if name in parameters}
    with wait_for_lost_workers(dask_scheduler):
        await dask_scheduler.remove_worker(address, stimulus_id=f"{STIMULUS}-{time.time()}", close=False,
                                           **expected)
        await dask_scheduler.rpc(nanny).restart(reason=STIMULUS)
    return "restarted"


async def is_without_worker(nanny: str, dask_scheduler) -> bool:
    """False also if the nanny is gone, as when a cluster that adapts has closed it."""
    if any(worker.nanny == nanny for worker in dask_scheduler.workers.values()):
        return False
    try:
        (await connect(nanny, timeout=CONNECT_S, **dask_scheduler.connection_args)).abort()
    except OSError:
        return False
    return True


# --- on the worker ---


def go_on(lease: object, dask_worker) -> None:
    """Unless the client has asked again since."""
    if dask_worker.cupping_lease is lease:
        dask_worker.periodic_callbacks["heartbeat"].start()


def look_at_tasks(may_beat: bool, dask_worker) -> dict:
    """How many tasks run, and which have ended. Without MAY_BEAT the worker sends no heartbeats: the
    answer to one, once the scheduler has forgotten the worker, would end its nanny, too."""
    beats = dask_worker.periodic_callbacks["heartbeat"]
    lease = dask_worker.cupping_lease = object()
    if may_beat:
        beats.start()
    else:
        beats.stop()
        dask_worker.loop.call_later(LEASE_S, go_on, lease, dask_worker)
    states = [(key, task.state) for key, task in dask_worker.state.tasks.items()]
    busy = sum(state in ("executing", "long-running", "cancelled", "resumed") for _, state in states)
    return {"busy": busy + bool(getattr(dask_worker, "heartbeat_active", False)),
            "finished": [key for key, state in states if state in ("memory", "error", "rescheduled")]}
