"""What a sample of a scheduler costs its event loop, by the number of workers.

    5_samples.py [ROUNDS]

Real Scheduler and WorkerState objects, with what heartbeats carry; no cluster. In one sample of
"some new" a sixth of the workers has sent a heartbeat since the last one (what a thousand workers
do in a second), in one of "all new" every worker has. Two figures: the library's own, out of the
log, for which the loop was held up; and what Python's clock says of the whole tick, with samples
and (CUPPING_INTERVAL=0) without, run in turns. Of each the least, and the range of the rounds' medians.
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
    ticks = []
    for sample in range(2 * SAMPLES):
        for state in states[:: 6 if sample < SAMPLES else 1]:
            state.last_seen = time.time()
            state.metrics = heartbeat(time.time())
        time.sleep(0.021)  # the interval; nothing else runs
        start = time.perf_counter()
        scheduler._measure_tick()
        ticks.append((time.perf_counter() - start) * 1e6)
    print(*ticks)


def dumped(logs):
    log = next(Path(logs).glob("*.cup"))
    text = subprocess.run([TOP / "build/cupping", "dump", log], capture_output=True, text=True,
                          check=True).stdout
    took = [int(ns) / 1e3 for ns in re.findall(r" SAMPLE .* took_ns=(\d+)", text)]
    return took, len(re.findall(r" ROW ", text)), log.stat().st_size


def run(workers, interval):
    """Ticks by Python's clock, then by the log: (some new, all new) each; rows and bytes."""
    with tempfile.TemporaryDirectory() as logs:
        environment = dict(os.environ, LD_PRELOAD=str(TOP / "build/libcupping.so"),
                           CUPPING_DIR=logs, CUPPING_INTERVAL=interval)
        child = subprocess.run([sys.executable, __file__, "sample", str(workers)], env=environment,
                               check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ticks = [float(us) for us in child.stdout.split()]
        took, rows, size = dumped(logs) if interval != "0" else ([], 0, 0)
        # a sample's own time stands in the one after it
        return (ticks[2:SAMPLES], ticks[SAMPLES:]), (took[1 : SAMPLES - 1], took[SAMPLES:]), rows, size


def shown(rounds):
    medians = [statistics.median(each) for each in rounds if each]
    if not medians:
        return "-"
    return f"{min(map(min, rounds)):6.0f} us ({min(medians):.0f} to {max(medians):.0f})"


def measure(workers, rounds):
    on, off = [], []
    for _ in range(rounds):
        on.append(run(workers, "0.02"))
        off.append(run(workers, "0"))
    for i, what in enumerate(("some new", "all new")):
        print(f"{workers:5} workers, {what:8}: sample {shown([each[1][i] for each in on])}, "
              f"tick with {shown([each[0][i] for each in on])}, "
              f"without {shown([each[0][i] for each in off])}")
    print(f"{workers:5} workers: {on[0][2]} rows in {2 * SAMPLES} samples, "
          f"log {on[0][3] / 2**20:.2f} MiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["sample"]:
        asyncio.run(sampled(int(sys.argv[2])))
    else:
        for count in (10, 100, 1000):
            measure(count, int(sys.argv[1]) if len(sys.argv) > 1 else 3)
