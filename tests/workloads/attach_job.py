"""Attaches to clusters that a program starts for itself, and compares with what their tasks read.

    attach_job.py local|adaptive|jobqueue CUPPING SCRATCH

local: a LocalCluster, by `cupping attach` from another process. adaptive: a LocalCluster whose workers
come and go. jobqueue: shells run job scripts as those of dask-jobqueue; two workers are in one script,
and the last script starts when the attachment is there. In local, workers take longer to start than
Dask waits until it closes a lost worker. A line for each expectation that did not hold; exit status 1
then.

    attach_job.py tasks ADDRESS SCRATCH

What `cupping attach` runs: tasks on the cluster.
"""

import csv
import io
import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import dask  # noqa: E402
from checks import expect, finish, run_cupping  # noqa: E402
from distributed import Client, LocalCluster, Scheduler, SpecCluster  # noqa: E402
from distributed.deploy import ProcessInterface  # noqa: E402

import cupping  # noqa: E402
import cupping.profile  # noqa: E402

LIMIT_S = 300  # against hangs
BYTES = 100_000
LOST_AFTER = "distributed.deploy.lost-worker-timeout"
# What dask-jobqueue 0.9.0 writes for Slurm.
JOB_SCRIPT = """#!/usr/bin/env bash

#SBATCH -J dask-worker
#SBATCH -n 1
#SBATCH -t 00:30:00

{python} -m distributed.cli.dask_worker {scheduler} --name {name} {options} --nanny --death-timeout 60 \
--no-dashboard --local-directory {scratch}/{name}
"""


def read_file(path, seconds):
    """A task: how much it read, and whether its process is profiled. It ends not before PATH.go is there."""
    with open(path, "rb", 0) as file:
        size = len(file.read())
    time.sleep(seconds)
    wait_for("go", Path(f"{path}.go").exists)
    return size, "libcupping.so" in Path("/proc/self/maps").read_text()


def wait_for(what, condition):
    until = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"{what}: not after {LIMIT_S} s")
        time.sleep(0.05)


def go_of(scratch):
    return scratch / "data.root.go"


def start_tasks(client, scratch, tasks, seconds=0.05):
    data = scratch / "data.root"
    data.write_bytes(b"x" * BYTES)
    go_of(scratch).touch()
    return client.map(read_file, [str(data)] * tasks, seconds=seconds, pure=False)


def expect_recorded(command, profile, attached, before=()):
    """ATTACHED: what tasks returned that began when the cluster was attached. All of them were profiled,
    and the profile has the tasks and the bytes of all that were. No log is incomplete."""
    expect(all(has_library for _, has_library in attached), "tasks that were not profiled")
    profiled = [size for size, has_library in [*attached, *before] if has_library]
    rows = [row for row in csv.DictReader(io.StringIO(run_cupping(command, "tasks", profile, "--csv", "-")))
            if row["prefix"] == "read_file"]
    recorded = len(rows), sum(int(row["read_bytes"]) for row in rows)
    expect(recorded == (len(profiled), sum(profiled)), "recorded:", recorded, "ran:", len(profiled), sum(profiled))
    report = run_cupping(command, "report", profile)
    expect("incomplete" not in report and "in no log" not in report, report)
    ended = json.loads((profile / "collected.json").read_text())["tasks_ended"]
    expect(sum(ended.values()) >= len(attached), "the scheduler counted", ended, "ran:", len(attached))


def make_slow_start(scratch):
    """Workers now take longer to start than Dask waits for one that is lost."""
    dask.config.set({LOST_AFTER: "1s"})
    path = scratch / "slow_start.py"
    path.write_text("import time\ntime.sleep(2)\n")
    return str(path)


def run_local(command, scratch):
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, local_directory=scratch / "workers",
                      preload=[make_slow_start(scratch)]) as cluster, Client(cluster) as client:
        names, address = set(cluster.workers), cluster.scheduler_address
        before = start_tasks(client, scratch, 40, 0.2)
        subprocess.run([command, "attach", address, "--python", sys.executable, "-o", scratch / "profile",
                        "--", sys.executable, __file__, "tasks", address, scratch], check=True)
        expect(len(client.scheduler_info()["workers"]) == 2, "a worker is lost")
        expect(set(cluster.workers) == names, "the cluster has", set(cluster.workers), "of", names)
        expect(dask.config.get(LOST_AFTER) == "1s", LOST_AFTER, "is", dask.config.get(LOST_AFTER))
        done = json.loads((scratch / "done.json").read_text())
        expect_recorded(command, scratch / "profile", done, client.gather(before))


def run_tasks(address, scratch):
    with Client(address) as client:
        (scratch / "done.json").write_text(json.dumps(client.gather(start_tasks(client, scratch, 40))))


def run_adaptive(command, scratch):
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None,
                      local_directory=scratch / "workers") as cluster, Client(cluster) as client:
        cluster.adapt(minimum=1, maximum=3, interval="100ms", wait_count=2, target_duration="0.5s")
        workers, seen, done = cluster.scheduler.workers, set(), []
        with cupping.attach(client, scratch / "profile"):
            for _ in range(2):
                futures = start_tasks(client, scratch, 60)
                go_of(scratch).unlink()
                wait_for("workers that come", lambda: len(workers) > 1)
                go_of(scratch).touch()
                done += client.gather(futures)
                seen.update(workers)
                del futures  # results keep workers from being closed
                wait_for("workers that go", lambda: len(workers) == 1)
        expect(len(seen) > 2, "only these workers came:", seen)
        expect_recorded(command, scratch / "profile", done)


class JobScript(ProcessInterface):
    """A job of dask-jobqueue: a shell is the batch system."""

    def __init__(self, scheduler, name, **words):
        super().__init__(scheduler=scheduler, name=name)
        self.script = JOB_SCRIPT.format(python=sys.executable, scheduler=scheduler, name=name, **words)

    async def start(self):
        self.shell = subprocess.Popen(["sh", "-c", self.script])
        await super().start()

    async def close(self):
        subprocess.run(["pkill", "-TERM", "-P", str(self.shell.pid)], check=False)
        self.shell.wait()
        await super().close()


def run_jobqueue(command, scratch):
    one = {"cls": JobScript, "options": {"scratch": scratch, "options": "--nthreads 1 --memory-limit 1.86GiB"}}
    two = {"cls": JobScript, "group": ["-0", "-1"],
           "options": {"scratch": scratch, "options": "--nthreads 4 --memory-limit 0.93GiB --nworkers 2"}}
    scheduler = {"cls": Scheduler, "options": {"dashboard_address": None, "dashboard": False, "host": "127.0.0.1"}}
    with SpecCluster({"one": one, "two": two}, scheduler) as cluster, Client(cluster) as client:
        client.wait_for_workers(3)
        before = start_tasks(client, scratch, 100)
        with cupping.attach(client, scratch / "profile") as attached:
            expect(not attached.refused, attached.refused)
            cluster.worker_spec["late"] = one
            cluster.sync(cluster._correct_state)
            client.wait_for_workers(4)
            done = client.gather(start_tasks(client, scratch, 100))
        expect(len(client.scheduler_info()["workers"]) == 4, "a worker is lost")
        expect_recorded(command, scratch / "profile", done, client.gather(before))


def main():
    kind, first, scratch = sys.argv[1:]
    cupping.profile.own_command = first
    globals()[f"run_{kind}"](first, Path(scratch))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
