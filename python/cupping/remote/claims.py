"""What attach runs on the scheduler besides restarts: one attachment at a time. This module's source is sent there (by_source.py), so it imports only Python.
"""

from __future__ import annotations

def claim(client: str, dask_scheduler) -> str | None:
    """CLIENT attaches to this cluster. Returns the other client that has attached and is still
    connected; None: there is none, and CLIENT has the cluster now."""
    owner = vars(dask_scheduler).get("cupping_client")
    if owner != client and owner in dask_scheduler.clients:
        return owner
    dask_scheduler.cupping_client = client
    return None


def release(client: str, dask_scheduler) -> None:
    if vars(dask_scheduler).get("cupping_client") == client:
        dask_scheduler.cupping_client = None
