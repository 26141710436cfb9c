"""What collecting costs the scheduler: the share of its loop with and without a Collector.

    10_collect.py [--workers 1000] [--seconds 60] [--forward]

A real `dask scheduler` gets WORKERS workers that exist only as comms: each registers, keeps its
stream open, and heartbeats as often as Dask wants it to. Their nannies are real Dask servers (with a
handler for deltas, and a log that changes before each question), all in one process. A Collector in
another process asks each of them every ten seconds. Printed: CPU seconds of the scheduler's process
divided by wall seconds, without and with the Collector, in turn, two times each.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

TOP = Path(__file__).parents[2]
sys.path[:0] = [str(TOP / "python"), str(TOP / "tests/workloads")]

from cupping.remote import collect, deltas  # noqa: E402


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class GrowingSource(deltas.Source):
    """The answers of a nanny whose worker wrote 20 KiB since the last question."""

    def __init__(self, number):
        super().__init__(lambda: "/tmp", set)
        self.number = number
        self.deltas = 0

    async def answer(self, session, wait=0, wake=False, bye=False, have=None, **_):
        if wake or bye:
            return {"status": "OK"}
        if wait:
            await asyncio.sleep(wait)
        self.deltas += 1
        pieces = deltas.array.array("I", range(0, 5)).tobytes()
        log = {"number": self.deltas, "after": self.deltas - 1, "size": 327680, "final": False,
               "whole": True, "pieces": pieces, "data": DATA}
        return {"status": "OK", "place": f"place-{self.number}", "time": time.time(), "pid": 1,
                "logs": {f"host{self.number}-1-1.cup": log}, "more": False, "own": []}


DATA = deltas.zlib.compress(random.Random(1).randbytes(2 * 4096) + bytes(3 * 4096))


async def serve(scheduler, workers):
    """Registers the workers, prints "ready", and heartbeats until it is killed."""
    from distributed.comm import connect
    from distributed.core import Server

    kept = []

    async def start(number):
        source = GrowingSource(number)

        async def cupping_collect(comm, **question):
            return await source.answer(**question)

        async def plugin_add(comm, **_):
            return {"status": "OK"}

        nanny = Server({collect.OP: cupping_collect, "plugin_add": plugin_add})
        await nanny.listen("tcp://127.0.0.1:0")
        address = f"tcp://10.0.{number // 250}.{number % 250 + 1}:4000"
        stream = await connect(scheduler)
        now = time.time()
        await stream.write({
            "op": "register-worker", "reply": False, "address": address, "status": "running",
            "nthreads": 1, "name": f"w{number}", "now": now, "resources": {}, "memory_limit": 0,
            "local_directory": "/tmp", "services": {}, "nanny": nanny.address, "pid": 1,
            "versions": {}, "metrics": METRICS, "extra": {}, "stimulus_id": f"s{number}",
            "server_id": f"id{number}",
        })  # fmt: skip
        answer = await stream.read()
        assert answer["status"] == "OK", answer
        kept.append((nanny, stream, address))
        return answer["heartbeat-interval"]

    async def beat(address, delay):
        """As Worker.heartbeat() does; each on a comm that is kept."""
        from distributed.core import rpc

        remote = rpc(scheduler)
        await asyncio.sleep(delay)
        while True:
            answer = await remote.heartbeat_worker(
                address=address, now=time.time(), metrics=METRICS, executing={}, extensions={})
            await asyncio.sleep(answer.get("heartbeat-interval", 5))

    async def drain(stream):
        while True:
            await stream.read()

    for number in range(workers):
        await start(number)
    tasks = [asyncio.create_task(drain(stream)) for _, stream, _ in kept]
    tasks += [asyncio.create_task(beat(a, 5 * i / workers)) for i, (_, _, a) in enumerate(kept)]
    print("ready", flush=True)
    await asyncio.gather(*tasks)


METRICS = {
    "task_counts": {}, "bandwidth": {"total": 1e8, "workers": {}, "types": {}}, "digests_total_since_heartbeat": {},
    "managed_bytes": 0, "spilled_bytes": {"memory": 0, "disk": 0}, "transfer": {
        "incoming_bytes": 0, "incoming_count": 0, "incoming_count_total": 0, "outgoing_bytes": 0,
        "outgoing_count": 0, "outgoing_count_total": 0},
    "event_loop_interval": 0.02, "cpu": 2.0, "memory": 1 << 27, "time": 0.0, "host_net_io": {},
    "num_fds": 30,
}  # fmt: skip


def run_collector(scheduler, directory, forward):
    client = SimpleNamespace(scheduler=SimpleNamespace(address=scheduler), security=None)
    from distributed.security import Security

    client.security = Security()
    collector = collect.Collector(client, directory, seconds=10)
    if forward:
        collect.FORWARDED_PER_S = float(forward)
        collector.ask_straight = fail
    collector.start()
    print("ready", flush=True)
    for line in sys.stdin:
        own = time.process_time()
        print(json.dumps({"answers": collector.answers, "forwarded": collector.forwarded_answers,
                          "nannies": len(collector.nannies), "cpu_s": own}), flush=True)
    os._exit(0)


async def fail(nanny, question):
    raise OSError("not reachable, for this measurement")


def start(words, **more):
    process = subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, **more)
    assert process.stdout.readline() == "ready\n", words
    return process


def measure(pid, seconds):
    began, before = time.monotonic(), cpu_s(pid)
    time.sleep(seconds)
    return (cpu_s(pid) - before) / (time.monotonic() - began)


def ask(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def main(options):
    scratch = tempfile.mkdtemp()
    file = Path(scratch, "scheduler.json")
    scheduler = subprocess.Popen(
        [Path(sys.executable).with_name("dask"), "scheduler", "--host", "127.0.0.1", "--port", "0",
         "--no-dashboard", "--scheduler-file", file], stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "none"})
    while not (file.exists() and file.read_text().endswith("}")):
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    workers = start(["serve", address, str(options.workers)])
    try:
        for turn in range(options.turns):
            time.sleep(5)
            alone = measure(scheduler.pid, options.seconds)
            words = ["collect", address, f"{scratch}/{turn}", options.forward]
            collector = start(words, stdin=subprocess.PIPE)
            time.sleep(5)
            before = ask(collector)
            with_it = measure(scheduler.pid, options.seconds)
            after = ask(collector)
            collector.kill()
            rate = (after["answers"] - before["answers"]) / options.seconds
            print(f"{after['nannies']} nannies: scheduler alone {alone:.2%}, with a Collector {with_it:.2%}, "
                  f"{rate:.1f} answers/s ({after['forwarded']} forwarded), Collector "
                  f"{(after['cpu_s'] - before['cpu_s']) / options.seconds:.1%}", flush=True)
    finally:
        workers.kill()
        scheduler.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(sys.argv[2], int(sys.argv[3])))
    elif sys.argv[1:2] == ["collect"]:
        run_collector(sys.argv[2], sys.argv[3], sys.argv[4])
    else:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--workers", type=int, default=1000)
        parser.add_argument("--seconds", type=float, default=60)
        parser.add_argument("--turns", type=int, default=2)
        parser.add_argument("--forward", default="", help="questions a second through the scheduler")
        main(parser.parse_args())
