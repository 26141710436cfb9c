"""What collecting costs the scheduler's event loop, in CPU time of its thread.

    10_collect.py [--workers 1000] [--questions 1000]

A real `dask scheduler` gets WORKERS workers that exist only as comms: each registers, keeps its
stream open, and is silent. Their nannies are real Dask servers (with a handler for deltas, and a log
that changes before each question), all in one process. Another process asks what a Collector asks,
one question after the other, so that the loop does little else. The CPU time of its thread (schedstat),
less what it needs without questions, divided by the number of questions is the cost of one. So other
work on the machine matters little. Printed: that cost of

    list     the list of nannies and the counts of ended tasks, all of which have changed: one
             question each ten seconds with 1,000 workers
    forward  a question to a nanny that only the scheduler reaches, which passes it on: ten a second
             at most. Nannies that the client reaches cost the scheduler nothing
    count    to count a task that ended
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
    """Of the main thread, which runs the event loop."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


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
    """Registers the workers, prints "ready", and serves until it is killed."""
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
        kept.append((nanny, stream))

    async def drain(stream):
        while True:
            await stream.read()

    for number in range(workers):
        await start(number)
    tasks = [asyncio.create_task(drain(stream)) for _, stream in kept]
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


async def ask_all(scheduler, directory, kind, questions):
    """Asks as many QUESTIONS as a Collector would."""
    from distributed.security import Security

    client = SimpleNamespace(scheduler=SimpleNamespace(address=scheduler), security=Security())
    collector = collect.Collector(client, directory)
    collector.connecting = asyncio.Semaphore(collect.MOST_CONNECTS)
    collector.connection = client.security.get_connection_args("client")
    collector.stopping = asyncio.Event()
    Path(directory).mkdir()
    collect.FORWARDED_PER_S = 1000
    await collector.find_nannies()
    nannies = list(collector.nannies.values())
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(questions):
        if kind == "list":
            collector.found["all_ended"] = None  # all counts are sent
            await collector.find_nannies()
            continue
        nanny = nannies[number % len(nannies)]
        nanny.forwarded = True
        collector.take(nanny, await collector.ask_next(nanny, True))
    if kind == "forward":
        assert collector.answers == questions, collector.answers
    for comm in collector.idle:
        comm.abort()
    print("done", flush=True)


def count_s(times=1_000_000):
    """To count one task that ended."""
    workers = {"a": SimpleNamespace(nanny="n")}
    plugin = deltas.Joined(SimpleNamespace(workers=workers, handlers={}))
    words = {"worker": "a", "startstops": [{"action": "compute", "start": 0.0, "stop": 1.0}]}
    began = time.thread_time()
    for _ in range(times):
        plugin.transition("key", "processing", "memory", **words)
    return (time.thread_time() - began) / times


def start(words, **more):
    process = subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, **more)
    assert process.stdout.readline() == "ready\n", words
    return process


def measure(scheduler, words, questions):
    """CPU seconds of one question, of which the scheduler's thread is told by WORDS of a process."""
    process = start(words, stdin=subprocess.PIPE)
    began, before = time.monotonic(), cpu_s(scheduler)
    time.sleep(5)
    alone = (cpu_s(scheduler) - before) / (time.monotonic() - began)
    began, before = time.monotonic(), cpu_s(scheduler)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n", words
    used, seconds = cpu_s(scheduler) - before, time.monotonic() - began
    process.wait()
    return (used - alone * seconds) / questions


def main(options):
    scratch = tempfile.mkdtemp()
    file = Path(scratch, "scheduler.json")
    scheduler = subprocess.Popen(
        [Path(sys.executable).with_name("dask"), "scheduler", "--host", "127.0.0.1", "--port", "0",
         "--no-dashboard", "--scheduler-file", file], stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "none"})
    workers = None
    try:
        while not (file.exists() and file.read_text().endswith("}")):
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        workers = start(["serve", address, str(options.workers)])
        for turn in range(options.turns):
            cost = {kind: measure(scheduler.pid, [kind, address, f"{scratch}/{kind}-{turn}", str(options.questions)],
                                  options.questions) for kind in ("list", "forward")}
            seconds = max(2, options.workers / 100)
            print(f"{options.workers} workers: list {cost['list'] * 1e3:.2f} ms each {seconds:.0f} s = "
                  f"{cost['list'] / seconds:.3%} of the loop; forward {cost['forward'] * 1e3:.2f} ms, ten a second = "
                  f"{cost['forward'] * 10:.2%}; count {count_s() * 1e6:.2f} us", flush=True)
    finally:
        if workers:
            workers.kill()
        scheduler.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(sys.argv[2], int(sys.argv[3])))
    elif sys.argv[1:2] in (["list"], ["forward"]):
        asyncio.run(ask_all(*sys.argv[2:4], sys.argv[1], int(sys.argv[4])))
    else:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--workers", type=int, default=1000)
        parser.add_argument("--questions", type=int, default=1000)
        parser.add_argument("--turns", type=int, default=3)
        main(parser.parse_args())
