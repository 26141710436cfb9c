"""Dask's own record of what ran, to compare with cupping's: a worker plugin that notes every
task's end as the worker's state machine sees it, and the worker's digests."""

import os
import time

from distributed import WorkerPlugin
from distributed.utils import key_split

NAME = "witness"


class Witness(WorkerPlugin):
    name = NAME

    def setup(self, worker):
        self.worker = worker
        self.seen = []

    def transition(self, key, start, finish, **kwargs):
        if start not in ("executing", "long-running") or finish not in ("memory", "error"):
            return
        state = self.worker.state.tasks[key]
        annotation = (state.annotations or {}).get("span") or {}
        self.seen.append({
            "key": str(key),
            "prefix": key_split(key),
            "status": "finished" if finish == "memory" else "erred",
            "result_bytes": state.nbytes if finish == "memory" else None,
            "worker": self.worker.address,
            "pid": os.getpid(),
            "span": "/".join(annotation.get("name") or ("default",)),
        })


def install(client):
    client.register_plugin(Witness())


def _account(dask_worker):
    digests = [[list(map(str, key)), value] for key, value in dask_worker.digests_total.items()
               if isinstance(key, tuple)]
    return {"tasks": dask_worker.plugins[NAME].seen, "digests": digests}


def account(client):
    """What all workers saw, once their event loops have taken in the last task's end."""
    time.sleep(0.3)
    reports = client.run(_account).values()
    return {
        "tasks": [task for report in reports for task in report["tasks"]],
        "digests": [digest for report in reports for digest in report["digests"]],
    }
