"""What attach runs on the scheduler, except restarts: it lets only one client attach at a time, and at the end waits
for nannies that are starting, so that each removes the plugin. This module's source is sent there (by_source.py), so
it imports only Python."""

from __future__ import annotations

import asyncio


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


async def await_starting_nannies(seconds: float, registering: bool, dask_scheduler) -> bool:
    """Waits for the nannies that are starting: they may have got a plugin that was removed since. REGISTERING: the
    plugin's registration may not have ended. Dask delays it until no nanny is starting, so this waits for that, too.
    False: one is still starting after SECONDS."""
    first = set(dask_scheduler._starting_nannies)

    def have_started() -> bool:
        starting = dask_scheduler._starting_nannies
        return not (starting if registering else starting & first)

    async def wait() -> None:
        for _ in range(2):  # a registration that waits may begin only after the first time
            async with dask_scheduler._starting_nannies_cond:
                await dask_scheduler._starting_nannies_cond.wait_for(have_started)
            await asyncio.sleep(0)

    try:
        await asyncio.wait_for(wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
