"""What a sample of a scheduler costs its event loop, by the number of workers.

Real Scheduler and WorkerState objects, with what heartbeats carry; no cluster. In one sample of
"some new" a sixth of the workers has sent a heartbeat since the last one (what a thousand workers
do in a second), in one of "all new" every worker has. The figures are the library's own, out of the
log: the time for which the loop was held up, the median of the samples.
"""

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SAMPLES = 20


def heartbeat(now):
    states = ("executing", "ready", "memory", "waiting")
    return {
        "task_counts": dict.fromkeys(states, 3),
        "bandwidth": {"total": 1e8, "workers": {}, "types": {}},
        "managed_bytes": 10**9, "spilled_bytes": {"memory": 0, "disk": 0},
        "transfer": {"incoming_bytes": 1, "incoming_count": 1, "incoming_count_total": 9,
                     "outgoing_bytes": 1, "outgoing_count": 1, "outgoing_count_total": 9},
        "event_loop_interval": 0.02, "cpu": 99.5, "memory": 2 * 10**9, "time": now,
        "host_net_io": {"read_bps": 1e6, "write_bps": 1e6},
        "host_disk_io": {"read_bps": 1e6, "write_bps": 1e6}, "num_fds": 80,
    }


async def sampled(workers):
    from distributed.core import Status
    from distributed.scheduler import Scheduler, WorkerState

    scheduler = Scheduler(dashboard=False, port=0)
    scheduler._address = "tcp://10.0.0.1:8786"
    states = []
    for i in range(workers):
        state = WorkerState(
            address=f"tcp://10.0.{i // 250}.{i % 250}:40000", status=Status.running, pid=i, name=i,
            nthreads=4, memory_limit=8 * 10**9, local_directory="/tmp", nanny=None,
            server_id=f"Worker-{i}", services={}, versions={}, extra={}, scheduler=scheduler)
        state.metrics = heartbeat(time.time())
        state.last_seen = time.time()
        scheduler.workers[state.address] = state
        states.append(state)
    for sample in range(2 * SAMPLES):
        for state in states[:: 6 if sample < SAMPLES else 1]:
            state.last_seen = time.time()
            state.metrics = heartbeat(time.time())
        time.sleep(0.021)  # the interval; nothing else runs
        scheduler._measure_tick()


def took_of(logs):
    log = next(Path(logs).glob("*.cup"))
    text = subprocess.run([TOP / "build/cupping", "dump", log], capture_output=True, text=True,
                          check=True).stdout
    return [int(ns) / 1e3 for ns in re.findall(r" SAMPLE .* took_ns=(\d+)", text)], len(
        re.findall(r" SAMPLE_WORKER ", text)), log.stat().st_size


def measure(workers):
    with tempfile.TemporaryDirectory() as logs:
        environment = dict(os.environ, LD_PRELOAD=str(TOP / "build/libcupping.so"),
                           CUPPING_DIR=logs, CUPPING_INTERVAL="0.02")
        subprocess.run([sys.executable, __file__, str(workers)], env=environment, check=True)
        took, rows, size = took_of(logs)
        some, every = took[2 : SAMPLES - 1], took[SAMPLES + 1 :]
        print(f"{workers:5} workers: {statistics.median(some):7.0f} us some new, "
              f"{statistics.median(every):7.0f} us all new, first {took[0]:.0f} us, "
              f"{len(took)} samples, {rows} rows, log {size / 2**20:.2f} MiB")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(sampled(int(sys.argv[1])))
    else:
        for count in (10, 100, 1000):
            measure(count)
